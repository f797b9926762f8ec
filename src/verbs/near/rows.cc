#include "verbs/near/rows.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "verbs/near/made_with.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::near {

void FileSink::begin(const Documents& documents) {
  documents_ = &documents;
  matches_.emplace(output_.create("matches.tsv"));
  matches_->write(options_.verify ? "id1\tid2\tdiff\tsimilarity\n" : "id1\tid2\tdiff\n");
  clusters_.emplace(output_.create("clusters.tsv"));
  clusters_->write(fmt::format("id\tsimhash\tcluster\t{}\n", options_column(options_.fingerprint)));
}

void FileSink::match(const Match& match, double similarity) {
  if (std::exchange(first_, match.first) != match.first) {
    first_id_.clear();
    documents_->ids.append_escaped_id(first_id_, match.first);
  }
  row_ = first_id_;
  row_ += '\t';
  documents_->ids.append_escaped_id(row_, match.second);
  row_ += '\t';
  run::append_decimal(row_, match.difference);
  if (options_.verify) fmt::format_to(std::back_inserter(row_), "\t{:.6g}", similarity);
  row_ += '\n';
  matches_->write(row_);
}

void FileSink::document(DocId document, std::optional<DocId> cluster) {
  row_.clear();
  documents_->ids.append_escaped_id(row_, document);
  row_ += '\t';
  if (documents_->states[document] == State::fingerprinted) run::append_decimal(row_, documents_->hashes[document]);
  row_ += '\t';
  if (cluster)
    run::append_decimal(row_, *cluster);
  else
    row_ += "-1";
  row_ += "\t\n";
  clusters_->write(row_);
}

void FileSink::close() {
  matches_->close();
  clusters_->close();
}

void MemorySink::begin(const Documents& documents) {
  result_.fingerprints.assign(documents.hashes.begin(), documents.hashes.end());
  for (const State state : documents.states) result_.valid.push_back(state == State::fingerprinted ? 1 : 0);
  result_.clusters.assign(documents.hashes.size(), -1);
}

void MemorySink::match(const Match& match, double similarity) {
  result_.matches.push_back({match.first, match.second, static_cast<unsigned>(match.difference), similarity});
}

void MemorySink::document(DocId document, std::optional<DocId> cluster) {
  if (cluster) result_.clusters[document] = static_cast<std::int64_t>(*cluster);
}

}  // namespace refrain::verbs::near
