// Shared by the verbs that read an n-gram index: opens it and writes its rows.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engines/ngram/index/reader.h"
#include "refrain/ngrams.h"

namespace refrain::verbs::ngrams {

// Throws Error(not_found) if there is no index, and Error(corrupt) if it is incomplete: a folder without
// summary.json was being written when the writer was interrupted. Refuses a memory limit that is too low; reading
// takes a few megabytes, whatever the limit.
std::unique_ptr<ngram::IndexReader> open_ngrams(const std::filesystem::path& folder, const Context& context);

// Writes rows "ngram count documents places", a few KB at a time.
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
