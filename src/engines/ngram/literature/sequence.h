// The text as the literature models it: a sequence S of word numbers of 32 bits each, in a temporary file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/ngram/index/gram_output.h"
#include "refrain/context.h"

namespace refrain::ngram {

// Written in order; afterwards many threads may read it.
class Sequence {
 public:
  Sequence(TempSpace& temp, const DocumentTable& documents) : file_(temp), documents_(documents) {}

  void append(std::span<const std::uint32_t> words) {
    file_.append({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
  }
  std::uint64_t bytes() const { return file_.size(); }
  void read(std::uint64_t position, std::span<std::uint32_t> words) const {
    file_.read(position * sizeof(std::uint32_t), {reinterpret_cast<char*>(words.data()), words.size_bytes()});
  }

  // Makes one pass: calls use(worker, position, words) for stretches of words that lie in one document. Every
  // `window` consecutive words of a document are in exactly one stretch; words[i, i + window) are at position + i.
  // With one thread, stretches come in order.
  template <class Use>
  void pass(const Context& context, MemoryBudget& budget, const std::string& stage, std::size_t window, Use use) const {
    const std::uint64_t tokens = documents_.tokens();
    Progress progress(context, stage, "tokens", tokens);
    std::vector<std::unique_ptr<Array<std::uint32_t>>> buffers(thread_count(context));
    parallel_for(
        thread_count(context), static_cast<std::size_t>((tokens + kChunk - 1) / kChunk),
        [&](unsigned worker, std::size_t chunk) {
          if (!buffers[worker])
            buffers[worker] = std::make_unique<Array<std::uint32_t>>(budget, "a stretch of the text", kChunk + window);
          const std::uint64_t begin = chunk * kChunk;
          const std::uint64_t end = std::min(begin + kChunk, tokens);
          const std::uint64_t reach = std::min(end + window - 1, tokens);
          const std::span<std::uint32_t> words(buffers[worker]->data(), static_cast<std::size_t>(reach - begin));
          read(begin, words);
          for (DocId document = documents_.locate(begin).document;
               document < documents_.size() && documents_.first(document) < end; ++document) {
            const std::uint64_t from = std::max(begin, documents_.first(document));
            const std::uint64_t to = std::min(documents_.first(document + 1), reach);
            if (to - from >= window && from < end)
              use(worker, from,
                  std::span<const std::uint32_t>(words).subspan(static_cast<std::size_t>(from - begin),
                                                                static_cast<std::size_t>(to - from)));
          }
          progress.add(end - begin);
        });
    progress.finish();
  }

 private:
  static constexpr std::uint64_t kChunk = std::uint64_t{1} << 16U;

  TempFile file_;
  const DocumentTable& documents_;
};

// Computes rolling hashes of all windows of `window` words. A hash has 64 bits; algorithms use as many as they
// need.
class WindowHashes {
 public:
  explicit WindowHashes(std::size_t window);
  // Returns one hash per window of `words`, which must contain at least one window. The result is valid until the
  // next call.
  std::span<const std::uint64_t> operator()(std::span<const std::uint32_t> words);

 private:
  std::size_t window_;
  std::uint64_t leave_ = 1;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace refrain::ngram
