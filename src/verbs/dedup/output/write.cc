// dedup: writes the decisions as files for people and other programs, and the clean corpus.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <string_view>

#include "base/files/file.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/relay.h"
#include "base/threads.h"
#include "store/shuffle.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/state/compared_texts.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/skipped.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::dedup {

namespace {

constexpr DocId kPartDocuments = 1024;  // formatted at once by a worker
constexpr std::size_t kCopyBytes = std::size_t{64} << 10;

struct Row {
  DocId first;
  DocId second;
  double similarity;
  friend bool operator<(const Row& a, const Row& b) { return a.second < b.second; }
};
struct FirstOfRow {
  std::uint64_t operator()(const Row& row) const { return row.first; }
};

// Writes the pairs in input order, the earlier document of a pair first. A copy is paired with the first document
// of its text.
void write_matches(DedupRun& run) {
  const Ranks ranks = run.ranks();
  store::Shuffle<Row, FirstOfRow> rows({.what = "the matches",
                                        .key_bits = static_cast<unsigned>(std::bit_width(ranks.size() | 1)),
                                        .expected_records = static_cast<std::size_t>(run.report.matches),
                                        .order_values = true,
                                        .temp = &run.temp,
                                        .memory_bytes = run.budget.available() / 2},
                                       run.budget);
  {
    auto writer = rows.writer();
    const auto add = [&](DocId a, DocId b, double similarity) {
      writer.add({std::min(a, b), std::max(a, b), similarity});
    };
    run::ColumnReader<DocId> heads(run.dir.work("heads"));
    DocId head = 0;
    for (DocId document = 0; heads.next(head); ++document)
      if (head != document) add(head, document, 1);
    run::ColumnReader<RankMatch> matches(run.dir.work("matches"));
    for (RankMatch match; matches.next(match);)
      add(ranks.document(match.pair.later), ranks.document(match.pair.earlier), match.similarity);
  }
  run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  run::SliceFile others(run.dir.work("ids"), run.dir.work("id_ends"));
  run::RunFile out = run.dir.create_output("matches.tsv");
  const std::unique_ptr<MatchColumn> column =
      run.near != nullptr ? run.near->match_column(run) : std::make_unique<MatchColumn>();
  out.write(fmt::format("id1\tid2\t{}\n", column->name()));
  Context in_order = run.context;
  in_order.threads = 1;
  std::string first;
  std::string row;
  std::string scratch;
  rows.for_each_run(in_order, [&](unsigned, std::size_t, const store::Run<Row>& records) {
    first.clear();
    run::append_escaped(first, ids.get(records.key, scratch));
    for (const Row& match : records.records) {
      row = first;
      row += '\t';
      run::append_escaped(row, others.get(match.second, scratch));
      row += '\t';
      column->append(row, match.first, match.second, match.similarity);
      row += '\n';
      out.write(row);
    }
  });
  run.dir.close(out);
}

// Formats rows of clusters.tsv and lines of decisions.jsonl for one worker. Documents come in ascending order.
class Formatter {
 public:
  Formatter(DedupRun& run, const Array<DocId>& clusters, const Array<std::uint8_t>& shared)
      : run_(run),
        clusters_(clusters),
        shared_(shared),
        ids_(run.dir.work("ids"), run.dir.work("id_ends")),
        matched_(run),
        states_(run.dir.work("states")),
        digests_(run.dir.work("hashes")),
        against_(run),
        known_(run),
        outcome_(run) {}

  struct Part {
    std::string rows;
    std::string lines;
  };

  void format(DocId first, DocId last, Part& part) {
    part.rows.clear();
    part.lines.clear();
    states_.seek(first);
    digests_.seek(first);
    outcome_.seek(first);
    DocState state{};
    Digest digest;
    for (DocId document = first;
         document < last && states_.next(state) && digests_.next(digest) && outcome_.next(decision_, spans_);
         ++document)
      if (state != DocState::bad) {
        ids_.get(document, id_);
        add_row(part.rows, document, digest);
        add_line(part.lines, document);
      }
  }

 private:
  void add_row(std::string& text, DocId document, const Digest& digest) const {
    run::append_escaped(text, id_);
    text += '\t';
    run::append_decimal(text, digest.high);
    text += '\t';
    if (shared_[document] != 0)
      run::append_decimal(text, clusters_[document]);
    else
      text += "-1";
    text += '\n';
  }

  void add_line(std::string& text, DocId document) {
    const auto reason = static_cast<Reason>(decision_.reason);
    text += fmt::format(R"({{"id": {}, "keep": {}, "reason": )", json_text(id_), reason == Reason::none);
    if (reason == Reason::none && decision_.own_text != 0)
      text += fmt::format(R"("own_text", "match": {}, "similarity": {:.6g})", json_text(matched_.get(decision_.match)),
                          decision_.similarity);
    else if (reason == Reason::none)
      text += R"(null, "match": null, "similarity": null)";
    else if (reason == Reason::substring)
      text += R"("substring", "match": null, "similarity": null)";
    else
      text += fmt::format(
          R"("{}", "match": {}, "similarity": {:.6g})", reason_name(reason),
          json_text(reason == Reason::against ? against_.id(decision_.match) : matched_.get(decision_.match)),
          decision_.similarity);
    add_known(text, document);
    if (reason == Reason::near || decision_.own_text != 0)
      text += fmt::format(R"(, "lost": {}, "longest_lost": {})", decision_.loss.tokens, decision_.loss.longest);
    if (decision_.loss.attachments != 0) text += fmt::format(R"(, "lost_attachments": {})", decision_.loss.attachments);
    if (decision_.own_text != 0 && decision_.loss.written < 1)
      text += fmt::format(R"(, "as_written": {:.3g})", decision_.loss.written);
    if (reason == Reason::against) spans_ = against_.spans(document);
    text += R"(, "spans": [)";
    for (const ByteRange& span : spans_)
      text += fmt::format("{}[{}, {}]", &span == spans_.data() ? "" : ", ", span.begin, span.end);
    text += R"(], "cluster": )";
    text += shared_[document] != 0 ? std::to_string(clusters_[document]) : "null";
    text += against_.mark(document);
    text += "}\n";
  }

  // If the match is not a document of the input, adds the library that holds it.
  void add_known(std::string& text, DocId document) {
    const auto reason = static_cast<Reason>(decision_.reason);
    const bool matched = reason == Reason::exact || reason == Reason::near || decision_.own_text != 0;
    if (matched && matched_.known(decision_.match) != nullptr) {
      const KnownRow row = matched_.known(decision_.match)->row(decision_.match);
      text += fmt::format(R"(, "known": {}, "known_digest": "{:016x}{:016x}")", json_text(library_of(row)),
                          row.digest.high, row.digest.low);
      if (row.there == 0) text += R"(, "verified": false)";
    } else if (const KnownHit* hit = known_.find(document); hit != nullptr && hit->kind == KnownHit::gone) {
      text += fmt::format(R"(, "unverified": {}, "known": {})", json_text(matched_.get(hit->match)),
                          json_text(library_of(matched_.known(hit->match)->row(hit->match))));
    }
  }
  std::string library_of(const KnownRow& row) const {
    const std::vector<std::filesystem::path>& known = run_.options.known;
    return (row.library < known.size() ? known[row.library] : run_.options.library).string();
  }

  DedupRun& run_;
  const Array<DocId>& clusters_;
  const Array<std::uint8_t>& shared_;
  run::SliceFile ids_;
  MatchIds matched_;
  run::ColumnReader<DocState> states_;
  run::ColumnReader<Digest> digests_;
  AgainstView against_;
  KnownReader known_;
  DedupOutcome outcome_;
  Decision decision_;
  std::vector<ByteRange> spans_;
  std::string id_;
};

void write_clusters(DedupRun& run) {
  const Array<DocId> clusters = run::load_column<DocId>(run.dir.work("clusters"), run.budget, "the clusters");
  // Whether a document shares its cluster with another one.
  Array<std::uint8_t> shared(run.budget, "the clusters", clusters.size());
  for (DocId document = 0; document < clusters.size(); ++document)
    if (clusters[document] != document) shared[document] = shared[clusters[document]] = 1;

  run::RunFile rows = run.dir.create_output("clusters.tsv");
  run::RunFile lines = run.dir.create_output("decisions.jsonl");
  rows.write("id\tdigest\tcluster\n");
  Progress progress(run.context, "write", "documents", clusters.size());
  std::vector<std::unique_ptr<Formatter>> workers(run.threads);
  Relay<Formatter::Part> relay(run.threads);
  relay.run((clusters.size() + kPartDocuments - 1) / kPartDocuments,
            [&](unsigned worker, std::size_t item, Formatter::Part& part) {
              throw_if_stopped(run.context);
              if (!workers[worker]) workers[worker] = std::make_unique<Formatter>(run, clusters, shared);
              const DocId first = item * kPartDocuments;
              const DocId last = std::min<DocId>(first + kPartDocuments, clusters.size());
              workers[worker]->format(first, last, part);
              progress.add(last - first);
            },
            [&](std::size_t, const Formatter::Part& part) {
              rows.write(part.rows);
              lines.write(part.lines);
            });
  progress.finish();
  run.dir.close(rows);
  run.dir.close(lines);
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
  write_clusters(run);
  write_left_out(run);
  write_against(run);
}

}  // namespace refrain::verbs::dedup
