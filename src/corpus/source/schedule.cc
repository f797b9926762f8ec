#include "corpus/source/schedule.h"

#include <exception>
#include <utility>

#include "base/threads.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kMaxFilesPerPiece = 256;
constexpr std::size_t kMaxCopiesPerPiece = 32;  // each is an open file
// The memory that a file may need after it is opened: the zstd window of all but the highest levels.
constexpr std::uint64_t kOpeningBytes = std::uint64_t{9} << 20;

}  // namespace

Schedule::Schedule(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                   const ReaderTuning& tuning, unsigned threads, SkippedFiles& skipped)
    : context_(context),
      budget_(budget),
      tuning_(tuning),
      available_(budget.available()),
      walk_(options, budget, &context,
            [&skipped](SkipTotal total, SkippedFile file) { skipped.add(total, std::move(file)); }),
      turns_({.workers = threads, .waiting = tuning.max_waiting, .bytes = tuning.max_waiting_bytes}),
      ledger_(options.strict, context.spell, budget) {}

std::optional<Task> Schedule::claim() {
  std::unique_lock lock(mutex_);
  while (!failed_) {
    throw_if_stopped(context_);
    if (const std::optional<PieceId> piece = turns_.claim()) return task_of(*piece);
    if (may_open()) {
      std::shared_ptr<Slot> slot = open_next(lock);
      if (all_opened_) continue;  // another worker had an error meanwhile: nothing after it will be booked
      if (slot) {
        const PieceId first = turns_.open(slot->whole_files);
        slot->place = first.first;
        if (!slot->whole_files) {
          open_.emplace(first.first, slot);
          ++opening_;
        }
        return Task{std::move(slot), first.second};
      }
      all_opened_ = true;
      changed_.notify_all();
      continue;  // the run may have failed while the lock was released
    }
    if (may_book()) {
      book_next(lock);
      continue;
    }
    if (all_opened_ && turns_.none_open() && waiting_.empty()) break;
    ++idle_;
    changed_.wait(lock);
    --idle_;
  }
  return std::nullopt;
}

Task Schedule::task_of(PieceId piece) {
  const auto slot = open_.find(piece.first);
  return {slot->second, piece.second};
}

// One file may always be open. More require spare memory, because their decoders may need much of it.
bool Schedule::may_open() const {
  if (all_opened_ || !turns_.may_open()) return false;
  if (walking_ || opening_parquet_) return false;  // the next files are not known yet
  return turns_.none_open() || budget_.available() >= available_ / 2 + opening_ * kOpeningBytes;
}

bool Schedule::next_input(Input& input) {
  if (!put_back_) return walk_.next(input);
  input = std::move(*put_back_);
  put_back_.reset();
  return true;
}

std::shared_ptr<Slot> Schedule::next_group() {
  auto slot = std::make_shared<Slot>();
  slot->inputs.push_back(parquet_input_);
  slot->parquet = parquet_;
  slot->group = next_group_++;
  if (next_group_ >= parquet_->groups()) parquet_.reset();
  return slot;
}

// Finding the next files may take long, because those in an archive are unpacked and copied. Other workers continue
// meanwhile.
std::shared_ptr<Slot> Schedule::open_next(std::unique_lock<std::mutex>& lock) {
  if (parquet_) return next_group();
  std::shared_ptr<Slot> slot;
  std::exception_ptr error;
  walking_ = true;
  lock.unlock();
  try {
    slot = next_slot();
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  walking_ = false;
  if (awaiting_ > 0)
    changed_.notify_all();
  else if (idle_ > 0)
    changed_.notify_one();
  if (error) std::rethrow_exception(error);
  if (slot && slot->is_parquet()) opening_parquet_ = slot;
  return slot;
}

std::shared_ptr<Slot> Schedule::next_slot() {
  Input input;
  if (!next_input(input)) return nullptr;
  auto slot = std::make_shared<Slot>();
  slot->whole_files = input.format->storage == Storage::file;
  std::uint64_t bytes = input.size;
  slot->inputs.push_back(std::move(input));
  const std::size_t most = slot->inputs.front().copy ? kMaxCopiesPerPiece : kMaxFilesPerPiece;
  while (slot->whole_files && slot->inputs.size() < most && next_input(input)) {
    if (input.format->storage != Storage::file || bytes + input.size > tuning_.piece_bytes) {
      put_back_ = std::move(input);
      break;
    }
    bytes += input.size;
    slot->inputs.push_back(std::move(input));
  }
  return slot;
}

void Schedule::read_done(const Task& task, const PieceResult& result) {
  const std::lock_guard lock(mutex_);
  Slot& slot = *task.slot;
  if (task.piece == 0) --opening_;
  if (opening_parquet_ == task.slot) {
    opening_parquet_.reset();
    if (slot.rows && !slot.rows->last_group()) {
      parquet_ = slot.rows->file();
      parquet_input_ = slot.inputs.front();
      next_group_ = 1;
    }
  }
  const PieceId piece{slot.place, task.piece};
  if (slot.ranges)
    turns_.read_done_of(piece, slot.ranges->pieces());
  else
    turns_.read_done(piece, result.last);
  if (result.error) turns_.end_from(slot.place);
  if (result.last) open_.erase(slot.place);
  if (result.last || task.piece == 0)
    changed_.notify_all();
  else
    changed_.notify_one();
}

void Schedule::hand_in(const Task& task, PieceResult result) {
  std::unique_lock lock(mutex_);
  if (result.error) {
    // Nothing after it will be booked.
    all_opened_ = true;
    turns_.end_from(task.slot->place);
    changed_.notify_all();
  }
  turns_.hand_in(result.held_bytes);
  waiting_.emplace(PieceId{task.slot->place, task.piece}, std::move(result));
  while (!failed_ && may_book()) book_next(lock);
}

bool Schedule::may_book() const {
  return !booking_ && waiting_.contains(turns_.turn());
}

// The thread that books a piece also does its remaining work after the turn, while another may book the next piece.
void Schedule::book_next(std::unique_lock<std::mutex>& lock) {
  auto next = waiting_.extract(turns_.turn());
  PieceResult& piece = next.mapped();
  booking_ = true;
  lock.unlock();
  ledger_.book(piece);
  lock.lock();
  booking_ = false;
  const bool more = turns_.booked(piece.held_bytes, piece.last);
  if (more || awaiting_ > 0 || waiting_.empty())
    changed_.notify_all();
  else if (idle_ > 0 && may_book())
    changed_.notify_one();
  if (piece.after.empty()) return;
  lock.unlock();
  piece.do_after();
  lock.lock();
}

bool Schedule::await_turn(const Task& task) {
  std::unique_lock lock(mutex_);
  ++awaiting_;
  changed_.wait(lock, [&] { return failed_ || turns_.turn() == PieceId{task.slot->place, task.piece}; });
  --awaiting_;
  return !failed_;
}

void Schedule::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

}  // namespace refrain::corpus
