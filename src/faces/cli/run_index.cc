#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faces/cli/process.h"
#include "faces/cli/run_verbs.h"
#include "faces/cli/table/numbers.h"
#include "faces/cli/table/options.h"
#include "faces/cli/view/passages.h"
#include "faces/cli/view/summary.h"
#include "faces/cli/view/terminal.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "refrain/report_json.h"
#include "refrain/serve.h"

namespace refrain::cli {

namespace {

// This is longer than for other verbs, because after a stop request the server lets running requests finish for up to
// 10 s.
constexpr int kServerGraceSeconds = 20;

const std::string& index_of(const Settings& settings) {
  return settings.operands.front();
}

// ---- Verbs that write

int conclude(const Settings& settings, std::string_view verb, const IndexWriteReport& report,
             const std::string& summary) {
  print_report(settings, summary, to_json(report, verb));
  if (!settings.quiet && settings.json) remark(bad_record_remark(report.read));
  if (!settings.quiet) remark(unreadable_remark(report.read));
  return 0;
}

// Runs write(context), which adds documents.
template <class Write>
int add_documents(const Settings& settings, std::string_view verb, Write write) {
  const auto start = std::chrono::steady_clock::now();
  const IndexWriteReport report = in_session(settings, write);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  conclude(settings, verb, report, index_add_summary(index_of(settings), report, time.count(), look_of(STDOUT_FILENO)));
  throw_if_nothing_read(report.read);
  return 0;
}

int run_create(const Settings& settings) {
  const IndexCreateOptions options = index_create_options(settings);
  return add_documents(settings, "index create",
                       [&](const Context& context) { return create_index(options, context); });
}

int run_add(const Settings& settings) {
  const IndexAddOptions options = index_add_options(settings);
  Index index(index_of(settings));
  return add_documents(settings, "index add", [&](const Context& context) { return index.add(options, context); });
}

// Returns 1 if the index held none of the documents, otherwise 0.
int run_remove(const Settings& settings) {
  const std::vector<std::string> ids = ids_to_remove(settings);
  Index index(index_of(settings));
  const IndexWriteReport report =
      in_session(settings, [&](const Context& context) { return index.remove(ids, context); });
  if (!settings.quiet && !settings.json) remark_unknown("not in the index", report.unknown);
  conclude(settings, "index remove", report, removed_summary(index_of(settings), report.removed));
  return report.removed == 0 && !ids.empty() ? kExitNothingFound : 0;
}

int run_merge(const Settings& settings) {
  Index index(index_of(settings));
  const IndexWriteReport report = in_session(settings, [&](const Context& context) { return index.merge(context); });
  return conclude(settings, "index merge", report,
                  merged_summary(index_of(settings), report.merged_segments, report.index_bytes, report.segments));
}

// ---- Blots

std::string text_row(const BlotRow& row) {
  std::string line = fmt::format("{:0{}x}", row.blot, row.digits);
  for (const std::string& id : row.ids) line += fmt::format(" {}", printable(id, false));
  return line + "\n";
}

std::string text_row(const BlotText& row) {
  return fmt::format("{:0{}x} {}:{}-{} {}\n", row.blot, row.digits, printable(row.id, false), row.bytes.begin,
                     row.bytes.end, printable(row.text, false));
}

// Prints rows and counts them.
class RowPrinter {
 public:
  explicit RowPrinter(const Settings& settings) : text_(settings.rows == Rows::text) {}
  template <class Row>
  void operator()(const Row& row) {
    out_.write_rows(text_ ? text_row(row) : to_json(row));
    ++rows_;
  }
  void flush() { out_.flush(); }
  std::uint64_t rows() const { return rows_; }

 private:
  bool text_;
  StandardOutput out_;
  std::uint64_t rows_ = 0;
};

std::uint64_t print_blots(const Index& index, const BlotsOptions& options, const Settings& settings) {
  RowPrinter rows(settings);
  const Session session(settings);
  if (options.unblot.empty()) {
    index.blots(options, session.context(), [&](const BlotRow& row) { rows(row); });
  } else {
    index.unblot(options, session.context(), [&](const BlotText& row) { rows(row); });
  }
  rows.flush();
  return rows.rows();
}

std::uint64_t print_file_blots(const Settings& settings) {
  if (settings.has_any({"min_documents", "max_documents"}))
    throw Error(Errc::invalid_argument,
                "--min-documents, --max-documents: need an index; remove them, or name an index");
  const BlotsOptions options = given_options<BlotsOptions>(settings);
  std::vector<std::uint64_t> wanted;
  for (const std::string& hex : options.unblot) wanted.push_back(parse_blot(hex));
  const InputOptions input = input_options(settings, settings.operands);
  const IndexLayout layout = given_options<IndexLayout>(settings);
  RowPrinter rows(settings);
  const Session session(settings);
  const ReadReport read = file_blots(input, layout, session.context(), [&](const BlotText& row) {
    const bool asked = wanted.empty() || std::find(wanted.begin(), wanted.end(), row.blot) != wanted.end();
    if (asked && (options.limit == 0 || rows.rows() < options.limit)) rows(row);
  });
  rows.flush();
  remark_on_reading(settings, read);
  return rows.rows();
}

// Opens the index at `path`. Returns null if there is no index, whether or not something else exists there.
std::unique_ptr<Index> open_if_index(const std::string& path) {
  try {
    return std::make_unique<Index>(path);
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    return nullptr;
  }
}

// Returns 1 if the text behind a blot was requested and there is none, otherwise 0.
int run_blots(const Settings& settings) {
  std::uint64_t rows = 0;
  if (settings.operands.size() > 1)
    for (const std::string& path : settings.operands)
      if (open_if_index(path))
        throw Error(Errc::invalid_argument, fmt::format("{}: is an index; name one index, or files", path));
  if (const std::unique_ptr<Index> index = open_if_index(index_of(settings))) {
    if (settings.has_any({"window", "blots", "sampling", "interleave", "blot_bits", "tokenizer", "comments"}))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: is an index with windows of its own; remove --window, "
                              "--blots, --sampling, --interleave, --blot-bits, --tokenizer and --comments",
                              index_of(settings)));
    refuse_input_flags(settings, fmt::format("{}: is an index, and no input is read", index_of(settings)));
    if (settings.has("threads"))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: is an index, and is listed on one thread; remove --threads", index_of(settings)));
    if (settings.has("unblot") && settings.has_any({"min_documents", "max_documents"}))
      throw Error(Errc::invalid_argument,
                  "--unblot: shows the named blots only; remove --min-documents and --max-documents");
    rows = print_blots(*index, given_options<BlotsOptions>(settings), settings);
  } else {
    rows = print_file_blots(settings);
  }
  return rows == 0 && settings.has("unblot") ? kExitNothingFound : 0;
}

// ---- Passages

std::unique_ptr<PassageSink> passage_sink(const Settings& settings, PassagesOf of,
                                          std::function<void(std::string_view)> out) {
  const bool texts = !settings.no_text;
  if (settings.rows == Rows::text) return text_passages(std::move(out), look_of(STDOUT_FILENO), texts);
  return settings.rows == Rows::tsv ? tsv_passages(std::move(out), of, texts) : json_passages(std::move(out), texts);
}

// Quotes a word for a shell if necessary.
std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Returns the command that the user gave, with `cursor` in place of its cursor.
std::string next_command(const std::vector<std::string>& arguments, std::string_view cursor) {
  std::string command = "refrain";
  std::string end;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") {
      for (; i < arguments.size(); ++i) end += " " + shell_word(arguments[i]);
    } else if (arguments[i] == "--cursor") {
      ++i;
    } else if (!arguments[i].starts_with("--cursor=")) {
      command += " " + shell_word(arguments[i]);
    }
  }
  return fmt::format("{} --cursor={}{}", command, shell_word(cursor), end);
}

// Throws Error(invalid_argument) for flags that have no effect with --raw, which compares nothing and has no summary.
void refuse_comparing(const Settings& settings) {
  if (settings.has_any({"min_tokens", "max_gap", "edits", "noise", "exclude"}))
    throw Error(Errc::invalid_argument,
                "--raw: compares nothing; remove --edits, --noise, --min-tokens, --max-gap and --exclude");
  if (settings.json) throw Error(Errc::invalid_argument, "--raw: has no summary; remove --json");
  if (settings.rows == Rows::tsv || settings.no_text)
    throw Error(Errc::invalid_argument, "--raw: lists blots, as jsonl or text; remove --output tsv and --no-text");
}

// Returns 1 if nothing was found, otherwise 0.
int run_raw_query(const Settings& settings) {
  const QueryOptions asked = query_options(settings);
  if (!asked.cursor.empty()) throw Error(Errc::invalid_argument, "--raw: has no cursor; remove --cursor");
  refuse_comparing(settings);
  if (settings.has_any({"max_occurrences", "self", "with", "pairs"}))
    throw Error(Errc::invalid_argument,
                "--raw: lists every document of a blot; remove --max-occurrences, --self, --with and --pairs");
  const Index index(index_of(settings));
  BlotsOptions options = given_options<BlotsOptions>(settings);
  options.min_documents = 1;
  options.query_files = asked.input.paths;
  if (!asked.id.empty()) {
    std::optional<IndexDocument> document = index.document(asked.id, Session(settings).context());
    if (!document) throw Error(Errc::not_found, fmt::format("{}: no document in the index has this id", asked.id));
    options.query.push_back({.id = std::move(document->id), .text = std::move(document->text)});
  }
  return print_blots(index, options, settings) == 0 ? kExitNothingFound : 0;
}

// Warns if --edits heavy was requested but the index lacks the word pairs by which such passages are found.
void remark_on_edits(const Settings& settings, const PassageLimits& limits, const Index& index) {
  if (settings.quiet || limits.edits != Edits::heavy || index.stats().layout.pairs) return;
  remark("the index was built without word pairs (--edits light or character tokens), so --edits heavy finds less\n");
}

// Returns 1 if nothing was found, otherwise 0. An empty page returns 0 if there are pages before or after it.
int run_query(const Settings& settings) {
  if (settings.raw) return run_raw_query(settings);
  const QueryOptions options = query_options(settings);
  const Index index(index_of(settings));
  remark_on_edits(settings, options.limits, index);
  StandardOutput out;
  const QueryReport report = in_session(settings, [&](const Context& context) {
    // Each passage is printed as soon as it is found.
    const auto sink = passage_sink(settings, PassagesOf::query, [&out](std::string_view piece) {
      out.write(piece);
      if (piece.ends_with('\n')) out.flush();
    });
    return index.query(options, context, *sink);
  });
  if (!report.cursor.empty() && settings.rows == Rows::jsonl) out.write(cursor_json(report.cursor));
  out.flush();
  if (!settings.quiet) {
    if (!settings.json) remark_on_reading(settings, report.read);
    remark(changed_remark(report.changed_documents, report.changed));
    for (const std::string& one : pairs_remarks(report)) remark(one);
    if (report.cursor.empty() && !settings.json) remark(shortened_remark(report, options.limit));
    if (!settings.json) remark(unverified_remark(report));
    if (report.passages == 0 && report.cursor.empty() && options.cursor.empty() && settings.rows == Rows::text)
      remark("nothing found; runs shorter than the index's window are not searched (see 'refrain index stats')\n");
    if (!report.cursor.empty() && settings.rows != Rows::jsonl)
      remark(fmt::format("for more, run: {}\n", next_command(settings.arguments, report.cursor)));
  }
  summarize(settings, query_summary(report), to_json(report));
  return report.passages == 0 && report.cursor.empty() && options.cursor.empty() ? kExitNothingFound : 0;
}

int run_extract(const Settings& settings) {
  if (settings.raw) {
    refuse_comparing(settings);
    if (settings.has_any({"threads", "temp_dir"}))
      throw Error(Errc::invalid_argument,
                  "--raw: lists blots as stored, on one thread; remove --threads and --temp-dir");
    print_blots(Index(index_of(settings)), given_options<BlotsOptions>(settings), settings);
    return 0;
  }
  const ExtractOptions options = given_options<ExtractOptions>(settings);
  const Index index(index_of(settings));
  remark_on_edits(settings, options.limits, index);
  StandardOutput out;
  const ExtractReport report = in_session(settings, [&](const Context& context) {
    const auto sink = passage_sink(settings, PassagesOf::index, [&out](std::string_view piece) { out.write(piece); });
    ExtractReport made = index.extract(options, context, *sink);
    out.flush();
    return made;
  });
  if (!settings.quiet) remark(changed_remark(report.changed_documents, report.changed));
  summarize(settings, extract_summary(report), to_json(report));
  return 0;
}

// ---- The rest

int run_stats(const Settings& settings) {
  const IndexStats stats = Index(index_of(settings)).stats();
  print(settings.json ? to_json(stats) : index_stats_text(stats));
  return 0;
}

// Returns 4 if the index is damaged and was not repaired, or if the repair lost documents; otherwise 0.
int run_check(const Settings& settings) {
  if (!settings.repair && settings.has_any({"threads", "temp_dir"}))
    throw Error(Errc::invalid_argument,
                "--threads, --temp-dir: have no effect without --repair; remove them, or add --repair");
  const IndexCheckReport report = in_session(
      settings, [&](const Context& context) { return check_index(index_of(settings), settings.repair, context); });
  for (const std::string& damage : report.damages) remark(fmt::format("{}\n", printable(damage, false)));
  if (!settings.quiet && !settings.json) remark(changed_remark(report.changed_documents, report.changed));
  print_report(settings, index_check_text(index_of(settings), report), to_json(report));
  return report.whole() ? 0 : exit_code(Errc::corrupt);
}

int run_serve(const Settings& settings) {
  ServeOptions options = serve_options(settings);
  if (!settings.quiet) {
    options.ready = [](std::string_view address) { remark(fmt::format("listening on http://{}\n", address)); };
    options.log = [](std::string_view line) { remark(fmt::format("{}\n", printable(line, false))); };
  }
  const Session session(settings, kServerGraceSeconds);
  Context context = session.context();
  context.progress = nullptr;
  try {
    serve(options, context);
  } catch (const Error& error) {
    // A stop request is the normal end of a server.
    if (error.code() != Errc::interrupted) throw;
  }
  return 0;
}

constexpr VerbRun kIndexRuns[] = {
    {Verb::index_create, run_create}, {Verb::index_add, run_add},     {Verb::index_remove, run_remove},
    {Verb::index_merge, run_merge},   {Verb::index_query, run_query}, {Verb::index_extract, run_extract},
    {Verb::index_blots, run_blots},   {Verb::index_stats, run_stats}, {Verb::index_check, run_check},
    {Verb::serve, run_serve},
};

}  // namespace

std::span<const VerbRun> index_runs() {
  return kIndexRuns;
}

}  // namespace refrain::cli
