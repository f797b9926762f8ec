// The file of (s, i), and steps that several of the algorithms share.
#include <bit>
#include <cstring>
#include <span>

#include "engines/ngram/literature/literature.h"

namespace refrain::ngram {

namespace {

// A row holds the words, then the location in big-endian order, so that the rows of an n-gram sort by location.
struct KeyOfRow {
  const Vocabulary& vocabulary;
  std::size_t n;
  std::uint64_t operator()(std::span<const std::byte> row) const {
    return key_of_words(vocabulary, {reinterpret_cast<const std::uint32_t*>(row.data()), n});
  }
};

std::uint64_t position_of(std::span<const std::byte> row) {
  std::uint64_t position = 0;
  std::memcpy(&position, row.data() + row.size() - sizeof position, sizeof position);
  return __builtin_bswap64(position);
}

}  // namespace

std::uint64_t key_of_words(const Vocabulary& vocabulary, std::span<const std::uint32_t> words) {
  const GramShape shape(static_cast<unsigned>(words.size()));
  std::uint64_t sum = 0;
  std::uint64_t of_a = 0;
  std::uint64_t of_b = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, &words[i], sizeof word);  // rows are not aligned
    sum = sum * kGramBase + vocabulary.hash(word);
    if (i + 1 == shape.a) of_a = sum;
    if (i + 1 == shape.b) of_b = sum;
  }
  return gram_key(of_a, of_b, sum);
}

std::string text_of_words(const Vocabulary& vocabulary, std::span<const std::uint32_t> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += ' ';
    text += vocabulary.word(words[i]);
  }
  return text;
}

GramFile::GramFile(const RepeatTask& task, std::uint64_t expected, std::uint64_t memory_bytes)
    : task_(task),
      row_bytes_(task.n * sizeof(std::uint32_t) + sizeof(std::uint64_t)),
      rows_(row_bytes_,
            {.what = "n-grams with their places",
             .expected_records = static_cast<std::size_t>(expected),
             .order_values = true,
             .temp = &task.temp,
             .memory_bytes = memory_bytes},
            task.budget, KeyOfRow{task.vocabulary, task.n}) {}

void GramFile::Writer::append(const std::uint32_t* words, std::uint64_t position) {
  const std::size_t bytes = row_.size() - sizeof position;
  std::memcpy(row_.data(), words, bytes);
  position = __builtin_bswap64(position);
  std::memcpy(row_.data() + bytes, &position, sizeof position);
  writer_.add(row_);
}

std::vector<GramFile::Writer> GramFile::writers(unsigned threads) {
  std::vector<Writer> all;
  for (unsigned i = 0; i < threads; ++i) all.emplace_back(*this);
  return all;
}

void GramFile::coalesce() {
  Context alone = task_.context;  // one thread, so that groups come in order
  alone.threads = 1;
  KeyGroup group(task_.temp);
  std::vector<std::uint32_t> words(task_.n);
  store::PositionList* positions = nullptr;
  rows_.for_each_run(alone, [&](unsigned, std::size_t, const store::RowRun& run) {
    if (run.first) {
      group.flush(task_.output);
      positions = nullptr;
    }
    if (run.first && run.last && run.size < task_.m) return;
    for (std::size_t i = 0; i < run.size; ++i) {
      const std::span<const std::byte> row = run[i];
      const std::size_t bytes = words.size() * sizeof(std::uint32_t);
      if (positions == nullptr || std::memcmp(words.data(), row.data(), bytes) != 0) {
        std::memcpy(words.data(), row.data(), bytes);
        positions = &group.positions(run.key, text_of_words(task_.vocabulary, words));
      }
      positions->add(position_of(row));
    }
  });
  group.flush(task_.output);
}

void repeated_hashes(const RepeatTask& task, unsigned bits, RepeatCost& cost,
                     const std::function<void(std::uint64_t hash)>& repeated) {
  HashFile file({.what = "hashes of n-grams (F1)",
                 .key_bits = bits,
                 .expected_records = static_cast<std::size_t>(task.grams),
                 .temp = &task.temp},
                task.budget);
  {
    std::vector<HashFile::Writer> writers;
    std::vector<WindowHashes> hashes;
    for (unsigned i = 0; i < thread_count(task.context); ++i) {
      writers.push_back(file.writer());
      hashes.emplace_back(task.n);
    }
    ++cost.passes;
    task.sequence.pass(task.context, task.budget, "hash", task.n,
                       [&](unsigned worker, std::uint64_t, std::span<const std::uint32_t> words) {
                         for (const std::uint64_t hash : hashes[worker](words))
                           writers[worker].add(hash >> (64 - bits));
                       });
  }
  cost.file_bytes[0] = file.size() * sizeof(std::uint64_t);
  Context alone = task.context;
  alone.threads = 1;
  std::uint64_t count = 0;
  file.for_each_run(alone, [&](unsigned, std::size_t, const store::Run<std::uint64_t>& run) {
    count = (run.first ? 0 : count) + run.records.size();
    if (run.last && count >= task.m) repeated(run.key);
  });
}

void keep_and_coalesce(const RepeatTask& task, RepeatCost& cost, std::uint64_t expected,
                       const std::function<bool(std::uint64_t hash, const std::uint32_t* words)>& keep) {
  GramFile file(task, expected);
  {
    std::vector<GramFile::Writer> writers = file.writers(thread_count(task.context));
    std::vector<WindowHashes> hashes(thread_count(task.context), WindowHashes(task.n));
    ++cost.passes;
    task.sequence.pass(task.context, task.budget, "filter", task.n,
                       [&](unsigned worker, std::uint64_t position, std::span<const std::uint32_t> words) {
                         const std::span<const std::uint64_t> of = hashes[worker](words);
                         for (std::size_t i = 0; i < of.size(); ++i)
                           if (keep(of[i], &words[i])) writers[worker].append(&words[i], position + i);
                       });
  }
  cost.file_bytes[2] = file.bytes();
  file.coalesce();
}

}  // namespace refrain::ngram
