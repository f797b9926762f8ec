// dedup: writes the decisions as text for people and other programs.
#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/json.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/output/decisions.h"
#include "verbs/dedup/output/output.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/skipped.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kCopyBytes = std::size_t{64} << 10;

void write_matches(DedupRun& run) {
  run::RunFile out = run.dir.create_output("matches.tsv");
  out.write(fmt::format("id1\tid2\t{}\n", near_method_info(run.options.near).uses_distance ? "diff" : "similarity"));
  std::string row;
  for_each_match(run, [&](const MatchRow& match) {
    row.clear();
    run::append_escaped(row, match.id1);
    row += '\t';
    run::append_escaped(row, match.id2);
    row += '\t';
    if (match.diff)
      run::append_decimal(row, *match.diff);
    else
      fmt::format_to(std::back_inserter(row), "{:.6g}", match.similarity);
    row += '\n';
    out.write(row);
  });
  run.dir.close(out);
}

// Rows of clusters.tsv and lines of decisions.jsonl.
struct TextRows {
  std::string clusters;
  std::string decisions;
  void clear() {
    clusters.clear();
    decisions.clear();
  }
};

void add_cluster(std::string& text, const DecisionRow& row) {
  run::append_escaped(text, row.id);
  text += '\t';
  run::append_decimal(text, row.digest);
  text += '\t';
  if (row.cluster)
    run::append_decimal(text, *row.cluster);
  else
    text += "-1";
  text += '\n';
}

std::string spans_json(const std::vector<ByteRange>& spans) {
  std::string text = "[";
  for (const ByteRange& span : spans)
    text += fmt::format("{}[{}, {}]", &span == spans.data() ? "" : ", ", span.begin, span.end);
  return text + ']';
}

void add_decision(std::string& text, const DecisionRow& row, bool marks) {
  const auto text_or_null = [](const auto& value) { return value ? json_text(*value) : "null"; };
  text += fmt::format(R"({{"id": {}, "keep": {}, "reason": {}, "match": {}, "similarity": )", json_text(row.id),
                      row.keep, row.reason.empty() ? "null" : json_text(row.reason), text_or_null(row.match));
  text += row.similarity ? fmt::format("{:.6g}", *row.similarity) : "null";
  if (row.unverified) text += fmt::format(R"(, "unverified": {})", json_text(*row.unverified));
  if (row.known) text += fmt::format(R"(, "known": {})", json_text(*row.known));
  if (row.known_digest) text += fmt::format(R"(, "known_digest": "{}")", *row.known_digest);
  if (!row.verified) text += R"(, "verified": false)";
  if (row.lost) text += fmt::format(R"(, "lost": {}, "longest_lost": {})", *row.lost, *row.longest_lost);
  if (row.lost_attachments) text += fmt::format(R"(, "lost_attachments": {})", *row.lost_attachments);
  if (row.as_written) text += fmt::format(R"(, "as_written": {:.3g})", *row.as_written);
  if (row.differs_in) text += fmt::format(R"(, "differs_in": "{}")", *row.differs_in);
  text += fmt::format(R"(, "spans": {}, "cluster": {})", spans_json(row.spans),
                      row.cluster ? std::to_string(*row.cluster) : "null");
  if (row.decision != nullptr)
    text += fmt::format(R"(, "override": {{"op": "{}", "seq": {}, "by": {}}})", override_op_name(row.decision->op),
                        row.decision->seq, json_text(row.decision->by));
  if (row.against)
    text += fmt::format(R"(, "against": {{"match": {}, "similarity": {:.6g}, "spans": {}}})",
                        json_text(row.against->match), row.against->similarity, spans_json(row.against->spans));
  else if (marks)
    text += R"(, "against": null)";
  text += "}\n";
}

void write_decisions(DedupRun& run) {
  run::RunFile clusters = run.dir.create_output("clusters.tsv");
  run::RunFile decisions = run.dir.create_output("decisions.jsonl");
  clusters.write("id\tdigest\tcluster\n");
  const bool marks = run.against() && !run.against_removes();
  for_each_decision<TextRows>(
      run, "write",
      [&](TextRows& part, const DecisionRow& row) {
        add_cluster(part.clusters, row);
        add_decision(part.decisions, row, marks);
      },
      [&](const TextRows& part) {
        clusters.write(part.clusters);
        decisions.write(part.decisions);
      });
  run.dir.close(clusters);
  run.dir.close(decisions);
}

// Writes the templates by which `explain` compares what the run compared, with one entry per row of
// decisions.jsonl.
void write_left_out(DedupRun& run) {
  const std::shared_ptr<const run::TemplateFile> templates = run.templates();
  if (!templates) return;
  run::ColumnReader<DocState> states(run.dir.work("states"));
  run::RunFile file = run.dir.create_output("templates.bin");
  templates->write_some(file, run.budget, [&](DocId /*document*/) {
    DocState state{};
    return states.next(state) && state != DocState::bad;
  });
  run.dir.close(file);
}

// The list was written when the input was read, and kept in `work` until the files of an earlier run were removed.
void copy_skipped(DedupRun& run) {
  InputFile from(run.dir.work(run::kSkippedName).string());
  run::RunFile to = run.dir.create_output(run::kSkippedName);
  std::string chunk(kCopyBytes, '\0');
  while (const std::size_t size = from.read(chunk.data(), chunk.size()))
    to.write(std::string_view(chunk).substr(0, size));
  run.dir.close(to);
}

}  // namespace

void dedup_write(DedupRun& run) {
  copy_skipped(run);
  write_matches(run);
  write_decisions(run);
  write_left_out(run);
  write_against(run);
}

}  // namespace refrain::verbs::dedup
