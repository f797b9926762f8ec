// Shared by the verbs of n-gram indexes: opens one, writes its rows, and lists what is recorded about it.
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

// Visits the figures that summary.json records about how an index was built, by their names there.
void visit_build(auto& report, auto field) {
  field("passes", report.passes);
  field("f1_bytes", report.file_bytes[0]);
  field("f2_bytes", report.file_bytes[1]);
  field("f3_bytes", report.file_bytes[2]);
  field("sequence_bytes", report.sequence_bytes);
  field("temp_peak_bytes", report.temp_peak_bytes);
  field("threads", report.threads);
  field("memory_bytes", report.memory_bytes);
  field("peak_rss_bytes", report.peak_rss_bytes);
  field("seconds", report.seconds);
}

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
