#include "verbs/near/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "refrain/error.h"
#include "refrain/version.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::near {

using corpus::ColumnType;

FileSink::FileSink(run::OutputDir& output, const NearOptions& options, MemoryBudget& budget)
    : output_(output), options_(options), budget_(budget) {
  if (!has_tables()) return;
  corpus::prepare_parquet(budget);
  room_ = budget.reserve(corpus::kTableBytes, "rows of tables");
}

void FileSink::create_table(const std::string& name, std::vector<corpus::TableColumn> columns) {
  if (!has_tables()) return;
  finish_table();
  room_.release();
  table_ =
      std::make_unique<Table>(output_.create(name), (options_.output / name).string(), std::move(columns), budget_);
}

void FileSink::finish_table() {
  if (table_) table_->finish().close();
  table_.reset();
}

void FileSink::begin(const Documents& documents) {
  documents_ = &documents;
  matches_.emplace(output_.create("matches.tsv"));
  matches_->write(options_.verify ? "id1\tid2\tdiff\tsimilarity\n" : "id1\tid2\tdiff\n");
  clusters_.emplace(output_.create("clusters.tsv"));
  clusters_->write(fmt::format("id\tsimhash\tcluster\t{}\n", options_column(options_.fingerprint)));
  create_table("matches.parquet", {{.name = "id1"},
                                   {.name = "id2"},
                                   {.name = "diff", .type = ColumnType::count},
                                   {.name = "similarity", .type = ColumnType::real, .optional = true}});
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
  if (!table_) return;
  cells_.clear();
  cells_.add(documents_->ids.id(match.first)).add(documents_->ids.id(match.second)).add(match.difference);
  cells_.add(options_.verify ? std::optional(similarity) : std::nullopt);
  table_->write(cells_);
}

void FileSink::begin_documents() {
  create_table("clusters.parquet", {{.name = "id", .distinct = true},
                                    {.name = "simhash", .type = ColumnType::hash, .optional = true, .distinct = true},
                                    {.name = "cluster", .type = ColumnType::count, .optional = true}});
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
  if (!table_) return;
  const bool judged = documents_->states[document] == State::fingerprinted;
  cells_.clear();
  cells_.add(documents_->ids.id(document)).add(judged ? std::optional(documents_->hashes[document]) : std::nullopt);
  cells_.add(cluster);
  table_->write(cells_);
}

void FileSink::close() {
  matches_->close();
  clusters_->close();
  finish_table();
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

namespace {

constexpr std::string_view kBegin = "refrain fingerprint ";
constexpr std::string_view kBeforeHeader = "# ";

// Returns the same name for all lists that drop the same tokens.
std::string name_of(std::vector<std::string> words) {
  if (words.empty()) return "none";
  for (std::string& word : words)
    std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; });
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::string all;
  for (const std::string& word : words) all += word + '\n';
  return fmt::format("{:016x}", digest(all).high);
}

std::map<std::string, std::string> values(std::string_view options) {
  std::map<std::string, std::string> all;
  options.remove_prefix(kBegin.size());
  while (!options.empty()) {
    const std::string_view word = options.substr(0, options.find(' '));
    options.remove_prefix(std::min(options.size(), word.size() + 1));
    const std::size_t sign = word.find('=');
    if (sign != std::string_view::npos) all.emplace(word.substr(0, sign), word.substr(sign + 1));
  }
  return all;
}

}  // namespace

std::string options_column(const FingerprintOptions& options) {
  const bool seeded = options.hash == HashKind::xxh3 || options.hash == HashKind::jenkins;
  return fmt::format("{}version={} tokenizer={} hash={} window={} seed={} tie={} stop_words={}", kBegin,
                     fingerprint_version(options.tokenizer), run::name_of(options.tokenizer),
                     hash_names()[static_cast<std::size_t>(options.hash)], options.window, seeded ? options.seed : 0,
                     options.tie_sets_bit ? 1 : 0, name_of(options.stop_words));
}

bool is_options_line(std::string_view line) {
  return line.starts_with(kBeforeHeader) && line.substr(kBeforeHeader.size()).starts_with(kBegin);
}

std::string_view options_in(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  line.remove_prefix(is_options_line(line) ? kBeforeHeader.size() : line.rfind('\t') + 1);
  return line.starts_with(kBegin) ? line : std::string_view();
}

void check_same_options(const FileOptions& stored, const FileOptions& queries) {
  if (stored.options.empty() || queries.options.empty()) return;
  const std::map<std::string, std::string> known = values(stored.options);
  std::map<std::string, std::string> asked = values(queries.options);
  // A later version may state more.
  for (const auto& [name, value] : known) asked.try_emplace(name, "?");
  for (const auto& [name, value] : asked) {
    const auto found = known.find(name);
    const std::string other = found == known.end() ? "?" : found->second;
    if (value == other + "-bare" || other == value + "-bare") {
      const bool bare = value.size() > other.size();
      throw Error(Errc::bad_input,
                  fmt::format("{}: made {} comments, but {} {} them; make both with `comments`, or both "
                              "without it",
                              queries.path, bare ? "without" : "with", stored.path, bare ? "with" : "without"));
    }
    const auto text = [&](const std::string& of) { return name == "tokenizer" ? tokenizer_text(of) : of; };
    if (value != other)
      throw Error(Errc::bad_input,
                  fmt::format("{}: made with {}={}, but {} with {}={}; make both with the same options", queries.path,
                              name, text(value), stored.path, name, text(other)));
  }
}

}  // namespace refrain::verbs::near
