#include "corpus/source/schedule.h"

#include <algorithm>

#include "base/threads.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kMaxFilesPerPiece = 256;
// What a file that is just being opened may turn out to need: the zstd window of all but the highest levels.
constexpr std::uint64_t kOpeningBytes = std::uint64_t{9} << 20;

}  // namespace

Schedule::Schedule(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                   const ReaderTuning& tuning, unsigned threads)
    : context_(context),
      budget_(budget),
      tuning_(tuning),
      threads_(threads),
      available_(budget.available()),
      walk_(options, budget),
      ledger_(options.strict, budget) {}

std::optional<Task> Schedule::claim() {
  std::unique_lock lock(mutex_);
  while (!failed_) {
    throw_if_stopped(context_);
    for (const std::shared_ptr<Slot>& slot : open_) {
      // Of a crowd that waits, only the one that all wait for may be read.
      if (slot->busy || (crowded() && turn_ != Turn{slot->place, slot->next_piece})) continue;
      slot->busy = true;
      return Task{slot, slot->next_piece++};
    }
    if (may_open()) {
      if (std::shared_ptr<Slot> slot = next_slot()) {
        if (!slot->whole_files) {
          open_.push_back(slot);
          ++opening_;
        }
        return Task{slot, slot->next_piece++};
      }
      all_opened_ = true;
      changed_.notify_all();
    }
    if (all_opened_ && open_.empty()) break;
    changed_.wait(lock);
  }
  return std::nullopt;
}

// One file can always be open. For more there must be memory to spare, since their decoders may need much of it.
bool Schedule::may_open() const {
  if (all_opened_ || crowded() || open_.size() >= threads_) return false;
  if (opening_parquet_) return false;  // what comes next is not known yet
  return open_.empty() || budget_.available() >= available_ / 2 + opening_ * kOpeningBytes;
}

bool Schedule::next_input(Input& input) {
  if (!put_back_) return walk_.next(input);
  input = std::move(*put_back_);
  put_back_.reset();
  return true;
}

std::shared_ptr<Slot> Schedule::next_group() {
  auto slot = std::make_shared<Slot>();
  slot->place = slots_++;
  slot->inputs.push_back(parquet_input_);
  slot->parquet = parquet_;
  slot->group = next_group_++;
  if (next_group_ >= parquet_->groups()) parquet_.reset();
  return slot;
}

std::shared_ptr<Slot> Schedule::next_slot() {
  if (parquet_) return next_group();
  Input input;
  if (!next_input(input)) return nullptr;
  auto slot = std::make_shared<Slot>();
  slot->place = slots_++;
  slot->whole_files = input.format == Format::files;
  std::uint64_t bytes = input.size;
  slot->inputs.push_back(std::move(input));
  while (slot->whole_files && slot->inputs.size() < kMaxFilesPerPiece && next_input(input)) {
    if (input.format != Format::files || bytes + input.size > tuning_.piece_bytes) {
      put_back_ = std::move(input);
      break;
    }
    bytes += input.size;
    slot->inputs.push_back(std::move(input));
  }
  if (slot->is_parquet()) opening_parquet_ = slot;
  return slot;
}

void Schedule::read_done(const Task& task, const PieceResult& result) {
  const std::lock_guard lock(mutex_);
  Slot& slot = *task.slot;
  slot.busy = false;
  if (task.piece == 0) --opening_;
  if (opening_parquet_ == task.slot) {
    opening_parquet_.reset();
    if (slot.rows && !slot.rows->last_group()) {
      parquet_ = slot.rows->file();
      parquet_input_ = slot.inputs.front();
      next_group_ = 1;
    }
  }
  if (result.last) std::erase(open_, task.slot);
  if (result.last || task.piece == 0)
    changed_.notify_all();
  else
    changed_.notify_one();
}

void Schedule::hand_in(const Task& task, PieceResult result) {
  std::unique_lock lock(mutex_);
  if (result.error) {
    // Nothing behind it will ever be booked.
    all_opened_ = true;
    std::erase_if(open_, [&](const std::shared_ptr<Slot>& slot) { return slot->place > task.slot->place; });
    changed_.notify_all();
  }
  waiting_.emplace(Turn{task.slot->place, task.piece}, std::move(result));
  if (booking_) return;
  booking_ = true;
  while (!failed_) {
    auto next = waiting_.extract(turn_);
    if (next.empty()) break;
    lock.unlock();
    ledger_.book(next.mapped());
    lock.lock();
    const bool was_crowded = waiting_.size() + 1 >= tuning_.max_waiting;
    turn_ = next.mapped().last ? Turn{turn_.first + 1, 0} : Turn{turn_.first, turn_.second + 1};
    if (was_crowded || awaiting_ > 0) changed_.notify_all();
  }
  booking_ = false;
}

bool Schedule::await_turn(const Task& task) {
  std::unique_lock lock(mutex_);
  ++awaiting_;
  changed_.wait(lock, [&] { return failed_ || turn_ == Turn{task.slot->place, task.piece}; });
  --awaiting_;
  return !failed_;
}

void Schedule::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

ReadReport Schedule::report() {
  ReadReport& report = ledger_.report();
  report.hidden_skipped = walk_.hidden_skipped();
  report.special_skipped = walk_.special_skipped();
  return std::move(report);
}

}  // namespace refrain::corpus
