#include "verbs/known/text_log.h"

#include <utility>

#include "base/files/path.h"
#include "verbs/known/text_records.h"

namespace refrain::verbs::known {

namespace {

std::string new_log_path(const std::filesystem::path& library, const std::string& name) {
  make_folders(library / kTextsFolder);
  return (library / name).string();
}

}  // namespace

TextLog::TextLog(const std::filesystem::path& library, std::string name)
    : name_(std::move(name)), file_(new_log_path(library, name_)), reader_(file_.path()) {
  const std::string mark = make_sync_mark(0);
  file_.append(mark);
  file_.sync();
  durable_ = mark.size();
  sync_folder(library / kTextsFolder);
}

std::uint64_t TextLog::append(std::string_view record) {
  const std::lock_guard lock(mutex_);
  if (failure_) throw Error(*failure_);
  // A batch is written only after all batches before it are on disk.
  if (waiting_.empty()) waiting_ = make_sync_mark(durable_ + writing_.size());
  const std::uint64_t place = durable_ + writing_.size() + waiting_.size();
  waiting_ += record;
  return place;
}

void TextLog::sync(std::uint64_t end) {
  std::unique_lock lock(mutex_);
  while (durable_ < end) {
    if (failure_) throw Error(*failure_);
    if (syncing_)
      changed_.wait(lock);
    else
      write_waiting(lock);
  }
}

// One of the waiting threads writes and syncs for all of them.
void TextLog::write_waiting(std::unique_lock<std::mutex>& lock) {
  syncing_ = true;
  writing_.swap(waiting_);
  lock.unlock();
  std::optional<Error> failure;
  try {
    file_.append(writing_);
    file_.sync();
  } catch (const Error& error) {
    failure = error;
    file_.cut(durable_);
  }
  lock.lock();
  syncing_ = false;
  if (failure) {
    failure_ = std::move(failure);
    waiting_.clear();
  } else {
    durable_ += writing_.size();
  }
  writing_.clear();
  changed_.notify_all();
}

std::string TextLog::read(std::uint64_t begin, std::uint64_t bytes) const {
  {
    const std::lock_guard lock(mutex_);
    if (begin >= durable_) {
      const std::uint64_t at = begin - durable_;
      if (at + bytes <= writing_.size()) return writing_.substr(at, bytes);
      if (failure_ || at < writing_.size() || at - writing_.size() + bytes > waiting_.size())
        throw Error(Errc::io, file_.path() + ": what was added could not be written");
      return waiting_.substr(at - writing_.size(), bytes);
    }
  }
  std::string out(bytes, '\0');
  reader_.read(begin, out);
  return out;
}

std::uint64_t TextLog::end() const {
  const std::lock_guard lock(mutex_);
  return durable_ + writing_.size() + waiting_.size();
}

std::uint64_t TextLog::durable() const {
  const std::lock_guard lock(mutex_);
  return durable_;
}

bool TextLog::failed() const {
  const std::lock_guard lock(mutex_);
  return failure_.has_value();
}

}  // namespace refrain::verbs::known
