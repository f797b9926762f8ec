// dedup: writes decisions, matches and clusters as Parquet.
#include <optional>
#include <string>
#include <vector>

#include "corpus/files/parquet_module.h"
#include "verbs/dedup/output/decisions.h"
#include "verbs/dedup/output/output.h"
#include "verbs/run/table_output.h"

namespace refrain::verbs::dedup {

namespace {

using corpus::ColumnType;
using corpus::TableColumn;
using corpus::TableRows;

const std::vector<TableColumn>& decision_columns() {
  static const std::vector<TableColumn> columns = {
      {.name = "id", .distinct = true},
      {.name = "keep", .type = ColumnType::flag},
      {.name = "reason", .optional = true},
      {.name = "match", .optional = true},
      {.name = "similarity", .type = ColumnType::real, .optional = true},
      {.name = "unverified", .optional = true},
      {.name = "known", .optional = true},
      {.name = "known_digest", .optional = true},
      {.name = "verified", .type = ColumnType::flag, .optional = true},
      {.name = "lost", .type = ColumnType::count, .optional = true},
      {.name = "longest_lost", .type = ColumnType::count, .optional = true},
      {.name = "lost_attachments", .type = ColumnType::count, .optional = true},
      {.name = "as_written", .type = ColumnType::real, .optional = true},
      {.name = "differs_in", .optional = true},
      {.name = "spans", .type = ColumnType::ranges},
      {.name = "cluster", .type = ColumnType::count, .optional = true},
      {.name = "override", .optional = true},
      {.name = "override_seq", .type = ColumnType::count, .optional = true},
      {.name = "against",
       .type = ColumnType::group,
       .optional = true,
       .members = {{.name = "match"},
                   {.name = "similarity", .type = ColumnType::real},
                   {.name = "spans", .type = ColumnType::ranges}}}};
  return columns;
}

const std::vector<TableColumn>& cluster_columns() {
  static const std::vector<TableColumn> columns = {{.name = "id", .distinct = true},
                                                   {.name = "digest", .type = ColumnType::hash, .distinct = true},
                                                   {.name = "cluster", .type = ColumnType::count, .optional = true}};
  return columns;
}

// The columns of both methods, so that the tables of all runs can be read as one.
const std::vector<TableColumn>& match_columns() {
  static const std::vector<TableColumn> columns = {{.name = "id1"},
                                                   {.name = "id2"},
                                                   {.name = "similarity", .type = ColumnType::real},
                                                   {.name = "diff", .type = ColumnType::count, .optional = true}};
  return columns;
}

using Output = run::TableOutput<run::RunFile>;

Output create(DedupRun& run, const std::string& name, const std::vector<TableColumn>& columns) {
  return {run.dir.create_output(name), run.dir.output(name).string(), columns, run.budget};
}

struct Rows {
  TableRows decisions;
  TableRows clusters;
  void clear() {
    decisions.clear();
    clusters.clear();
  }
};

void add_row(Rows& rows, const DecisionRow& row) {
  TableRows& cells = rows.decisions;
  cells.add(row.id).add(row.keep);
  cells.add(row.reason.empty() ? std::nullopt : std::optional(row.reason));
  cells.add(row.match).add(row.similarity);
  cells.add(row.unverified).add(row.known).add(row.known_digest);
  cells.add(row.verified ? std::nullopt : std::optional(false));
  cells.add(row.lost).add(row.longest_lost).add(row.lost_attachments).add(row.as_written).add(row.differs_in);
  cells.add(row.spans).add(row.cluster);
  const Override* decision = row.decision;
  cells.add(decision == nullptr ? std::nullopt : std::optional(override_op_name(decision->op)));
  cells.add(decision == nullptr ? std::nullopt : std::optional(decision->seq));
  if (row.against)
    cells.group().add(row.against->match).add(row.against->similarity).add(row.against->spans);
  else
    cells.null();
  rows.clusters.add(row.id).add(row.digest).add(row.cluster);
}

void write_matches_table(DedupRun& run) {
  Output out = create(run, "matches.parquet", match_columns());
  // The matches are sorted in what the rows of the table leave of the memory.
  Reservation room = run.budget.reserve(corpus::kTableBytes, "rows of matches.parquet");
  TableRows rows;
  for_each_match(run, [&](const MatchRow& match) {
    room.release();
    rows.clear();
    rows.add(match.id1).add(match.id2).add(match.similarity).add(match.diff);
    out.write(rows);
  });
  run.dir.close(out.finish());
}

void write_decision_tables(DedupRun& run) {
  Output decisions = create(run, "decisions.parquet", decision_columns());
  Output clusters = create(run, "clusters.parquet", cluster_columns());
  for_each_decision<Rows>(run, "tables", add_row, [&](const Rows& rows) {
    decisions.write(rows.decisions);
    clusters.write(rows.clusters);
  });
  run.dir.close(decisions.finish());
  run.dir.close(clusters.finish());
}

}  // namespace

void dedup_tables(DedupRun& run) {
  write_matches_table(run);
  write_decision_tables(run);
}

}  // namespace refrain::verbs::dedup
