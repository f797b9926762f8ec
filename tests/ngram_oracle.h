// A slow, obvious n-gram index for tests: a map of texts. Also generates texts to try.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "engines/ngram/index/gram_key.h"
#include "engines/ngram/index/writer.h"
#include "random_text.h"
#include "text/token_hash.h"

namespace refrain {

inline unsigned below(std::mt19937& random, unsigned limit) {
  return static_cast<unsigned>(random() % limit);
}

using Documents = std::vector<Words>;

// Words "a", "b", ... of a small alphabet, so that much recurs; some documents are empty or short.
inline Documents random_documents(std::mt19937& random, std::size_t documents, std::size_t longest, unsigned alphabet) {
  Documents all(documents);
  for (Words& words : all) {
    words.resize(random() % 4 == 0 ? random() % 4 : random() % longest);
    for (std::string& word : words) word = std::string(1 + random() % 2, static_cast<char>('a' + random() % alphabet));
  }
  return all;
}

// All n-grams, including those that occur once, by key and text, with their places.
using GramMap = std::map<std::pair<std::uint64_t, std::string>, std::vector<std::pair<std::uint64_t, std::uint64_t>>>;
inline GramMap all_grams(const Documents& documents, unsigned n) {
  GramMap grams;
  for (std::size_t document = 0; document < documents.size(); ++document)
    for (std::size_t i = 0; i + n <= documents[document].size(); ++i) {
      std::vector<std::uint64_t> hashes;
      for (unsigned j = 0; j < n; ++j)
        hashes.push_back(text::hash_token(HashKind::xxh3, documents[document][i + j], 0));
      grams[{ngram::gram_key(std::span<const std::uint64_t>(hashes)), join(part(documents[document], i, n))}]
          .emplace_back(document, i);
    }
  return grams;
}

inline std::uint64_t count_grams(const Documents& documents, unsigned n) {
  std::uint64_t sum = 0;
  for (const auto& words : documents) sum += words.size() < n ? 0 : words.size() - n + 1;
  return sum;
}

// Returns the concatenated bytes of the index's files.
inline std::string index_bytes(const std::filesystem::path& folder) {
  std::string bytes;
  for (const char* name : {ngram::kGramsName, ngram::kPlacesName, ngram::kDocumentsName})
    bytes += read_file((folder / name).string());
  return bytes;
}

inline std::string oracle_index(const Documents& documents, unsigned n, unsigned m,
                                const std::filesystem::path& folder) {
  ngram::IndexWriter writer(folder, {.n = n, .m = m, .tokenizer = TokenizerKind::words});
  for (const auto& words : documents) writer.add_document(std::nullopt, words.size());
  for (const auto& [gram, places] : all_grams(documents, n)) {
    if (places.size() < m) continue;
    writer.begin_gram(gram.first, gram.second);
    for (const auto& [document, token] : places) writer.add_place(document, token);
    writer.end_gram();
  }
  writer.finish(count_grams(documents, n));
  return index_bytes(folder);
}

}  // namespace refrain
