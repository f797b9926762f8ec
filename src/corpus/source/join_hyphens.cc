#include "corpus/source/join_hyphens.h"

#include <utf8proc.h>

#include <cstring>
#include <memory>
#include <vector>

#include "base/array.h"
#include "corpus/files/raw.h"
#include "refrain/error.h"
#include "refrain/utf8.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_letter_at(std::string_view text, std::size_t at, bool or_mark) {
  const CodePoint c = decode_utf8(text, at);
  if (!c.valid()) return false;
  const utf8proc_category_t kind = utf8proc_category(static_cast<utf8proc_int32_t>(c.value));
  return kind >= UTF8PROC_CATEGORY_LU && kind <= (or_mark ? UTF8PROC_CATEGORY_ME : UTF8PROC_CATEGORY_LO);
}

// Where the hyphen at the end of `line` begins, if it follows a letter, which may have accents.
std::size_t hyphen_of(std::string_view line) {
  for (const std::string_view hyphen : {"-", "\xE2\x80\x90", "\xC2\xAD"})
    if (line.ends_with(hyphen) && line.size() > hyphen.size()) {
      const std::string_view word = line.substr(0, line.size() - hyphen.size());
      const std::size_t last = boundary_before(word, word.size() - 1);
      const bool whole = last + decode_utf8(word, last).size == word.size();
      return whole && is_letter_at(word, last, true) ? word.size() : kNone;
    }
  return kNone;
}

struct Joined {
  explicit Joined(MemoryBudget& budget) : text(budget, "texts with joined words"), ends(budget, "joined texts") {}
  Array<char> text;
  Array<std::int64_t> ends;
  std::vector<RawFile> files;
  RawBatch raw;
};

void join(Batch& batch, Joined& to) {
  const TextBatch from = batch.texts;
  const std::size_t count = from.size();
  if (count == 0) return;
  to.text.resize(0);
  to.text.resize(static_cast<std::size_t>(from.offsets[count] - from.offsets[0]));
  to.ends.resize(count + 1);
  to.ends[0] = 0;
  const bool files = batch.raw != nullptr && !batch.raw->files.empty();
  if (files) to.files.assign(batch.raw->files.begin(), batch.raw->files.end());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = join_hyphens(from[i], to.text.data() + to.ends[i]);
    to.ends[i + 1] = to.ends[i] + static_cast<std::int64_t>(size);
    if (files && size != from[i].size()) to.files[i].converted = true;
  }
  batch.texts = {.text = to.text.data(), .offsets = {to.ends.data(), count + 1}};
  if (!files) return;
  to.raw = *batch.raw;
  to.raw.files = to.files;
  batch.raw = &to.raw;
}

}  // namespace

std::size_t join_hyphens(std::string_view text, char* out) {
  char* end = out;
  std::size_t copied = 0;
  const auto copy = [&](std::size_t until) {
    if (until != copied) std::memcpy(end, text.data() + copied, until - copied);
    end += until - copied;
  };
  for (std::size_t line = text.find('\n'); line != kNone; line = text.find('\n', line + 1)) {
    const bool crlf = line > copied && text[line - 1] == '\r';
    const std::size_t hyphen = hyphen_of(text.substr(copied, line - copied - (crlf ? 1 : 0)));
    if (hyphen == kNone) continue;
    const std::size_t next = text.find_first_not_of(" \t", line + 1);
    if (next == kNone || !is_letter_at(text, next, false)) continue;
    copy(copied + hyphen);
    copied = next;
  }
  copy(text.size());
  return static_cast<std::size_t>(end - out);
}

void refuse_joined(const InputOptions& input) {
  if (input.join_hyphens)
    throw Error(Errc::invalid_argument, "`join_hyphens`: ranges are those of the text as it is; remove it");
}

BatchWork joining_hyphens(const BatchWork& work, unsigned threads, MemoryBudget& budget) {
  auto joined = std::make_shared<std::vector<std::unique_ptr<Joined>>>(threads);
  return [&work, &budget, joined](unsigned worker, Batch& batch) -> InOrder {
    std::unique_ptr<Joined>& own = (*joined)[worker];
    if (!own) own = std::make_unique<Joined>(budget);
    join(batch, *own);
    return work(worker, batch);
  };
}

}  // namespace refrain::corpus
