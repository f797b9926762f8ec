#include "verbs/known/file_texts.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/files/path.h"
#include "base/json.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/known/old_texts.h"
#include "verbs/run/input_identity.h"
#include "verbs/run/json_parts.h"

namespace refrain::verbs::known {

namespace {

constexpr std::size_t kMostFileTexts = std::size_t{1} << 20;  // entries of one file
constexpr std::uint64_t kEntriesShare = 64;                   // limits the entries of one file to this part of memory
constexpr std::size_t kMostMissing = std::size_t{1} << 14;
constexpr std::size_t kLargeFiles = 4;  // limits all kept texts to those of this many large files
constexpr std::size_t kMostFiles = 64;  // limits the number of files, because each keeps a temporary file open

struct StopReading {};

// Identifies the current contents of the file, together with how it is read.
std::string identity_of_file(const InputOptions& input) {
  JsonWriter json;
  json.begin_object();
  run::write_input(json, input);
  json.end_object();
  return run::input_identity(input) + std::move(json).take();
}

}  // namespace

// One pass over a file.
struct FileTexts::Pass {
  Pass(FileTexts& of, const Digest& digest) : owner(of), wanted(digest) { start(); }

  void start() {
    keep([&] { made = std::make_shared<KeptFile>(owner.temp_, owner.budget_); });
  }
  // Runs `work`. If there is no room on disk or in memory, nothing is kept, and the file is read again for the next
  // text.
  template <class Work>
  void keep(Work work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.code() != Errc::over_budget) throw;
      made.reset();
    }
  }
  void add(const Digest& digest, const std::string& text) {
    if (made && !made->entries.empty() &&
        (made->texts.size() + text.size() > owner.file_bytes_ || made->entries.size() == owner.most_entries_)) {
      if (found) throw StopReading();
      start();
      if (made) made->is_whole = false;
    }
    if (digest == wanted && !found) {
      room = owner.budget_.reserve(text.size(), "a known document");
      found = text;
    }
    if (made) keep([&] { made->entries.push_back({digest, made->texts.append(text), text.size()}); });
    if (found && !made) throw StopReading();
  }
  void read(const InputOptions& input, const Context& context) {
    try {
      corpus::read_documents(input, context, owner.budget_,
                             [&](unsigned, corpus::Batch& batch) -> corpus::InOrder {
                               auto texts = std::make_shared<std::vector<std::pair<Digest, std::string>>>();
                               for (std::size_t i = 0; i < batch.texts.size(); ++i)
                                 if (batch.bad[i] == 0) texts->emplace_back(digest(batch.texts[i]), batch.texts[i]);
                               return [this, texts](DocId) {
                                 for (const auto& [of, text] : *texts) add(of, text);
                               };
                             },
                             {.stage = "known", .keeps_texts = true, .all_may_be_bad = true});
    } catch (const StopReading&) {
      if (made) made->is_whole = false;
    } catch (const Error& error) {
      if (!is_of_file(error)) throw;  // a damaged file still has the texts before the damage
    }
    if (made) std::sort(made->entries.begin(), made->entries.end(), by_digest);
  }
  static bool by_digest(const Entry& one, const Entry& other) { return one.digest < other.digest; }

  FileTexts& owner;
  const Digest wanted;
  std::shared_ptr<KeptFile> made;  // null: nothing can be kept
  Reservation room;
  std::optional<std::string> found;
};

FileTexts::FileTexts(const Context& context, MemoryBudget& budget, std::uint64_t file_bytes)
    : context_(context),
      budget_(budget),
      temp_(context),
      file_bytes_(file_bytes),
      most_entries_(std::min<std::size_t>(kMostFileTexts, budget.available() / kEntriesShare / sizeof(Entry))) {}

std::optional<std::string> FileTexts::find(const InputOptions& input, const Digest& digest,
                                           const std::stop_token& stop) {
  if (path_kind(input.paths.front()) != PathKind::file) return std::nullopt;
  const std::string identity = identity_of_file(input);
  std::unique_lock lock(mutex_);
  while (true) {
    if (const std::shared_ptr<KeptFile> known = held(identity)) {
      const auto entry = std::ranges::lower_bound(known->entries, digest, {}, &Entry::digest);
      if (entry != known->entries.end() && entry->digest == digest) {
        lock.unlock();
        std::string text(entry->bytes, '\0');
        known->texts.read(entry->begin, text);
        return text;
      }
      if (known->is_whole || known->missing.contains(digest)) return std::nullopt;
    }
    if (!is_reading_) break;
    if (!changed_.wait(lock, stop, [&] { return !is_reading_; })) throw Error(Errc::interrupted, "stopped");
  }
  is_reading_ = true;
  ++reads_;
  lock.unlock();
  std::optional<Pass> read;
  const auto end = [&] {
    lock.lock();
    is_reading_ = false;
    changed_.notify_all();
  };
  try {
    Context context = context_;
    context.stop = stop;
    read.emplace(*this, digest).read(input, context);
  } catch (...) {
    end();
    throw;
  }
  end();
  Pass& pass = *read;
  if (!pass.made) return std::move(pass.found);
  pass.made->identity = identity;
  if (const std::shared_ptr<KeptFile> before = held(identity)) pass.made->missing = std::move(before->missing);
  if (pass.made->missing.size() == kMostMissing) pass.made->missing.clear();
  if (!pass.found) pass.made->missing.insert(digest);
  keep(std::move(pass.made));
  return std::move(pass.found);
}

std::uint64_t FileTexts::reads() const {
  const std::lock_guard lock(mutex_);
  return reads_;
}

// The caller must hold the lock.
std::shared_ptr<FileTexts::KeptFile> FileTexts::held(const std::string& identity) {
  const auto found = std::ranges::find_if(kept_files_, [&](const auto& one) { return one->identity == identity; });
  if (found == kept_files_.end()) return nullptr;
  kept_files_.splice(kept_files_.begin(), kept_files_, found);
  return kept_files_.front();
}

// The caller must hold the lock. Files that were least recently used are dropped.
void FileTexts::keep(std::shared_ptr<KeptFile> made) {
  std::erase_if(kept_files_, [&](const auto& one) { return one->identity == made->identity; });
  kept_files_.push_front(std::move(made));
  std::uint64_t bytes = 0;
  std::size_t entries = 0;
  std::size_t files = 0;
  const auto last = std::ranges::find_if(kept_files_, [&](const auto& one) {
    bytes += one->texts.size();
    entries += one->entries.size();
    return ++files > 1 &&
           (files > kMostFiles || bytes > kLargeFiles * file_bytes_ || entries > kLargeFiles * most_entries_);
  });
  kept_files_.erase(last, kept_files_.end());
}

}  // namespace refrain::verbs::known
