// What the verbs about an n-gram index share: opening it, and its rows.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engines/ngram/index/reader.h"
#include "refrain/ngrams.h"

namespace refrain::verbs::ngrams {

// Error(not_found) where there is no index; Error(corrupt) where it is not whole: a folder without its summary.json was
// being written when something ended that.
// A ceiling that is given and too low is refused; reading takes a few megabytes, whatever it is.
std::unique_ptr<ngram::IndexReader> open_ngrams(const std::filesystem::path& folder, const Context& context);

// Rows "ngram count documents places", a few KB at a time.
class NgramRowWriter {
 public:
  NgramRowWriter(ngram::IndexReader& index, const NgramRows& out) : index_(index), out_(out) {}

  void header();
  void row(const ngram::GramEntry& entry);
  void flush();

 private:
  ngram::IndexReader& index_;
  const NgramRows& out_;
  std::string buffer_;
  std::string id_;
};

}  // namespace refrain::verbs::ngrams
