#include "refrain/explain.h"

#include <simdjson.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/threads.h"
#include "engines/library/reader.h"
#include "refrain/error.h"
#include "text/windows.h"
#include "verbs/evidence/find_documents.h"
#include "verbs/explain/explain.h"
#include "verbs/known/old_texts.h"
#include "verbs/run/columns/template_file.h"
#include "verbs/run/input_json.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/tsv.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void damaged(const fs::path& path, std::string_view what) {
  throw Error(Errc::corrupt, fmt::format("{}: {}; run dedup again", path.string(), what));
}

// The options of the run that matter here.
struct RecordedOptions {
  corpus::SourceOptions input;
  corpus::SourceOptions against;  // no paths: there was no other set
  FingerprintOptions windows;
  double threshold = 0;
  bool templates = false;  // whether templates were left out
};

// Files that the run could not read are skipped again.
void read_unreadable(const simdjson::dom::element& summary, corpus::SourceOptions& input) {
  simdjson::dom::array files;
  if (summary["unreadable"].get(files) != simdjson::SUCCESS) return;
  for (const simdjson::dom::element file : files) input.known_unreadable.emplace_back(std::string_view(file["path"]));
  std::sort(input.known_unreadable.begin(), input.known_unreadable.end());
}

RecordedOptions read_options(const fs::path& run) {
  const fs::path path = run / verbs::run::kSummaryName;
  if (path_kind(path) != PathKind::file)
    throw Error(Errc::not_found, fmt::format("{}: no finished dedup run here; name its output folder", run.string()));
  RecordedOptions recorded;
  try {
    simdjson::dom::parser parser;
    const std::string text = read_file(path);
    const simdjson::dom::element summary = parser.parse(text);
    if (std::string_view(summary["verb"]) != "dedup")
      throw Error(Errc::not_found, fmt::format("{}: not a dedup run; name the output folder of one", run.string()));
    const simdjson::dom::element options = summary["options"];
    verbs::run::read_input(options, recorded.input);
    read_unreadable(summary, recorded.input);
    if (simdjson::dom::element against; options["against"].get(against) == simdjson::SUCCESS)
      verbs::run::read_input(against, recorded.against);
    if (simdjson::dom::element against; summary["against"].get(against) == simdjson::SUCCESS)
      read_unreadable(against, recorded.against);
    if (std::uint64_t sources = 0; summary["templates"]["sources"].get(sources) == simdjson::SUCCESS)
      recorded.templates = sources != 0;
    recorded.windows.tokenizer =
        static_cast<TokenizerKind>(verbs::run::place_of(std::string_view(options["tokenizer"]), tokenizer_names()));
    recorded.windows.window = static_cast<unsigned>(std::uint64_t(options["window"]));
    recorded.windows.seed = options["seed"];
    if (std::string_view hash; options["hash"].get(hash) == simdjson::SUCCESS)  // older runs do not record it
      recorded.windows.hash = static_cast<HashKind>(verbs::run::place_of(hash, hash_names()));
    if (simdjson::dom::array words; options["stop_words"].get(words) == simdjson::SUCCESS)
      for (const simdjson::dom::element word : words) recorded.windows.stop_words.emplace_back(std::string_view(word));
    recorded.threshold = options["threshold"].get_double();
  } catch (const simdjson::simdjson_error& error) {
    damaged(path, error.what());
  }
  return recorded;
}

// Calls `each` with every line and its number, counted from 0.
void for_each_line(const fs::path& path, const Context& context,
                   const std::function<void(std::uint64_t, const std::string&)>& each) {
  constexpr std::uint64_t kLook = 65536;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_read_error(path.string(), "open", errno);
  std::string line;
  for (std::uint64_t number = 0; std::getline(file, line); ++number) {
    if (number % kLook == 0) throw_if_stopped(context);
    each(number, line);
  }
  if (file.bad()) throw_read_error(path.string(), "read", EIO);
}

class Decisions {
 public:
  Decisions(const fs::path& run, const Context& context) : path_(run / "decisions.jsonl"), context_(context) {}

  // Calls `each` with every document whose row contains `part`, and the number of the row.
  void with(const std::string& part, const std::function<void(std::uint64_t, DecidedDocument&&)>& each) {
    for_each_line(path_, context_, [&](std::uint64_t number, const std::string& line) {
      if (line.find(part) != std::string::npos) each(number, parse(line));
    });
  }

 private:
  DecidedDocument parse(const std::string& line) {
    try {
      const simdjson::dom::element row = parser_.parse(line);
      DecidedDocument document;
      document.id = std::string_view(row["id"]);
      document.keep = row["keep"];
      if (!row["reason"].is_null()) document.reason = std::string_view(row["reason"]);
      if (!row["match"].is_null()) document.match = std::string_view(row["match"]);
      if (!row["similarity"].is_null()) document.similarity = row["similarity"].get_double();
      if (std::string_view details; row["differs_in"].get(details) == simdjson::SUCCESS) document.differs_in = details;
      if (std::string_view known; row["known"].get(known) == simdjson::SUCCESS) document.known = known;
      if (std::string_view digest; row["known_digest"].get(digest) == simdjson::SUCCESS) document.known_digest = digest;
      if (row["verified"].get(document.verified) != simdjson::SUCCESS) document.verified = true;
      if (std::string_view id; row["unverified"].get(id) == simdjson::SUCCESS) document.unverified = id;
      if (std::uint64_t tokens = 0; row["lost"].get(tokens) == simdjson::SUCCESS) {
        document.lost = tokens;
        document.longest_lost = std::uint64_t(row["longest_lost"]);
        if (row["as_written"].get(document.as_written) != simdjson::SUCCESS) document.as_written = 1;
        if (row["lost_attachments"].get(document.lost_attachments) != simdjson::SUCCESS) document.lost_attachments = 0;
      }
      for (const simdjson::dom::element span : simdjson::dom::array(row["spans"]))
        document.spans.push_back({std::uint64_t(span.at(0)), std::uint64_t(span.at(1))});
      if (!row["cluster"].is_null()) document.cluster = std::uint64_t(row["cluster"]);
      if (simdjson::dom::object decision; row["override"].get(decision) == simdjson::SUCCESS) {
        document.override_op = std::string_view(decision["op"]);
        document.override_seq = decision["seq"];
        document.override_by = std::string_view(decision["by"]);
      }
      if (simdjson::dom::object against; row["against"].get(against) == simdjson::SUCCESS)
        document.marked = std::string_view(against["match"]);
      return document;
    } catch (const simdjson::simdjson_error& error) {
      damaged(path_, error.what());
    }
  }

  const fs::path path_;
  const Context& context_;
  simdjson::dom::parser parser_;
};

// Keeps the less similar document; of equal ones, the first.
void take_less(std::optional<DecidedDocument>& least, std::uint64_t& row, const DecidedDocument& one,
               std::uint64_t number) {
  if (least && least->similarity <= one.similarity) return;
  least = one;
  row = number;
}

// A document whose text is needed: its id, and the row in which the run recorded its digest.
struct Place {
  std::string id;
  std::uint64_t row = 0;
};

// Reads the texts from the input. If that is not possible, adds a problem to the story and returns false.
bool reread_texts(StoryReport& story, const corpus::SourceOptions& input, const Context& context, MemoryBudget& budget,
                  std::vector<verbs::evidence::WantedDocument>& wanted) {
  if (std::find(input.paths.begin(), input.paths.end(), "-") != input.paths.end()) {
    story.problems.emplace_back("the input was standard input, which cannot be read again");
    return false;
  }
  try {
    verbs::evidence::find_documents(input, context, budget, wanted);
  } catch (const Error& error) {
    if (error.code() != Errc::not_found && error.code() != Errc::bad_input) throw;
    story.problems.push_back(fmt::format("{} (path as given to the run)", error.what()));
    return false;
  }
  for (const verbs::evidence::WantedDocument& want : wanted) {
    if (want.text) continue;
    story.problems.push_back(want.other ? fmt::format("{}: has changed since the run", want.id)
                                        : fmt::format("{}: is no longer in the input", want.id));
  }
  return story.problems.empty();
}

// A document of a library, as it is now.
struct KnownText {
  std::string text;
  std::optional<text::LeftOut> left_out;
};

// Returns nullopt and adds a problem to the story if the document cannot be found.
std::optional<KnownText> find_known(StoryReport& story, const Context& context, MemoryBudget& budget) {
  const DecidedDocument& document = story.document;
  try {
    library::Reader reader(verbs::known::library_folder(document.known), budget);
    const std::optional<Digest> digest = parse_digest(document.known_digest);
    const library::Probe probe{digest ? library::digest_key(*digest) : 0, 0};
    std::vector<library::KnownId> hits;
    reader.find({&probe, 1}, [&](std::size_t, library::KnownId hit) { hits.push_back(hit); });
    for (const library::KnownId hit : hits) {
      library::KnownDocument known;
      reader.get(hit, known);
      if (!digest || known.digest != *digest || json_text(reader.id(hit)) != json_text(document.match)) continue;
      std::optional<std::string> text =
          verbs::known::text_of_known(reader, known, reader.id(hit), nullptr, context, budget);
      if (!text) {
        story.problems.push_back(fmt::format("{}: its text is gone, or has changed", document.match));
        return std::nullopt;
      }
      KnownText found{std::move(*text), {}};
      reader.for_each_source(known.segment, [&](std::uint32_t number, const library::Source& source) {
        if (number == known.source && !source.left_out.empty()) found.left_out.emplace(source.left_out);
      });
      return found;
    }
    story.problems.push_back(fmt::format("{}: {} no longer holds it", document.match, document.known));
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    story.problems.emplace_back(error.what());
  }
  return std::nullopt;
}

// Adds the texts that the story needs, as the run saw them: of the document, of `other` if it is set, and of the
// item that the document contains. A text that cannot be found becomes a problem of the story.
void add_texts(StoryReport& story, const fs::path& run, const RecordedOptions& recorded, const Place& self,
               const Place* other, const Context& context) {
  std::vector<Place> places{self};
  if (other != nullptr) places.push_back(*other);
  std::vector<verbs::evidence::WantedDocument> wanted(places.size());
  const fs::path sums = run / "clusters.tsv";
  for_each_line(sums, context, [&](std::uint64_t number, const std::string& line) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (number != places[i].row + 1) continue;  // the first line is the header
      const std::optional<verbs::run::HashRow> row = verbs::run::parse_hash_row(line);
      if (!row || !row->hash) damaged(sums, "damaged row");
      wanted[i].sum = row->hash;
      wanted[i].id = verbs::run::unescaped(row->id);  // byte for byte, which JSON cannot always represent
    }
  });
  for (const verbs::evidence::WantedDocument& want : wanted)
    if (!want.sum) damaged(sums, "ends early");
  MemoryBudget budget(context);
  corpus::SourceOptions input = recorded.input;
  input.compare = ComparedMail::headers;
  if (!reread_texts(story, input, context, budget, wanted)) return;
  const DecidedDocument& document = story.document;
  if (!document.spans.empty()) {
    if (document.spans.back().end > wanted[0].text->size()) damaged(run / "decisions.jsonl", "span too long");
    story.spanned.emplace();
    story.spanned->id = self.id;
    story.spanned->text = *wanted[0].text;
    story.spanned->shared = document.spans;
  }
  if (document.reason == "against") {
    corpus::SourceOptions against = recorded.against;
    std::vector<verbs::evidence::WantedDocument> item{{.id = document.match}};
    // If there were several files of items, the id begins with the file.
    for (std::size_t colon = 0; (colon = document.match.find(':', colon)) != std::string::npos; ++colon) {
      std::error_code ignored;
      if (!fs::is_regular_file(document.match.substr(0, colon), ignored)) continue;
      against.paths = {document.match.substr(0, colon)};
      item[0].id = document.match.substr(colon + 1);
      break;
    }
    if (!reread_texts(story, against, context, budget, item)) return;
    story.item.emplace();
    story.item->id = document.match;
    story.item->text = std::move(*item[0].text);
  }
  std::optional<KnownText> known;
  if (other == nullptr && !document.known.empty()) known = find_known(story, context, budget);
  if (other == nullptr && !known) return;
  ExplainReport texts;
  texts.a.id = self.id;
  texts.a.text = std::move(*wanted[0].text);
  texts.b.id = other != nullptr ? other->id : document.match;
  texts.b.text = std::move(other != nullptr ? *wanted[1].text : known->text);
  std::optional<verbs::run::TemplateFile> templates;
  verbs::evidence::LeftOutOf left_out;
  if (recorded.templates) {
    templates.emplace(run / "templates.bin", budget);
    left_out.a = templates->of(self.row);
    if (other != nullptr) left_out.b = templates->of(other->row);
  }
  if (known && known->left_out) left_out.b = &*known->left_out;
  verbs::explain::compare_texts(texts, recorded.windows, budget, context, left_out);
  story.mail = !wanted[0].headers.empty();
  if (other != nullptr) story.headers = verbs::evidence::differing_headers(wanted[0].headers, wanted[1].headers);
  story.texts = std::move(texts);
}

}  // namespace

StoryReport tell_story(const StoryOptions& options, const Context& context) {
  const RecordedOptions recorded = read_options(options.run);
  StoryReport story;
  story.threshold = recorded.threshold;
  story.window = recorded.windows.window;
  Decisions decisions(options.run, context);
  const std::string id = json_text(options.id);
  Place self{options.id};
  std::uint64_t found = 0;
  decisions.with(fmt::format("\"id\": {},", id), [&](std::uint64_t number, DecidedDocument&& document) {
    if (json_text(document.id) != id) return;
    if (found++ != 0) return;
    story.document = std::move(document);
    self.row = number;
  });
  if (found == 0)
    throw Error(Errc::not_found,
                fmt::format("{}: no document with this id in the run in {}", options.id, options.run.string()));
  story.same_id = found - 1;
  if (const DecidedDocument& one = story.document; (one.reason == "near" && one.verified) || one.reason == "own_text")
    story.change = verbs::explain::changing_options({.removed = !one.keep,
                                                     .lost = one.lost,
                                                     .longest_lost = one.longest_lost,
                                                     .lost_attachments = one.lost_attachments,
                                                     .as_written = one.as_written},
                                                    one.similarity, recorded.threshold);

  Place other;
  bool matched = false;
  // An item of the other set is not a document of the run, although it may have the id of one.
  const auto by_document = [](const DecidedDocument& document) { return document.reason != "against"; };
  const bool own_text = story.document.keep && !story.document.match.empty();
  const auto look = [&](std::uint64_t number, DecidedDocument&& document) {
    if (document.cluster != story.document.cluster) return;
    ++story.cluster_size;
    story.cluster_kept += document.keep ? 1 : 0;
    if ((!story.document.keep || own_text) && by_document(story.document) && story.document.known.empty() && !matched &&
        document.keep && document.id == story.document.match) {
      matched = true;
      other = {document.id, number};
    }
    if (story.document.keep && !document.keep && by_document(document) && json_text(document.match) == id) {
      ++story.removed_for_it;
      if (!own_text) take_less(story.least_similar, other.row, document, number);
    }
    if (story.members.size() < StoryReport::kMaxMembers) story.members.push_back(std::move(document));
  };
  if (story.document.cluster) decisions.with(fmt::format("\"cluster\": {}", *story.document.cluster), look);
  if (story.least_similar) other.id = story.least_similar->id;
  const bool pair = matched || story.least_similar;
  const bool known = !story.document.known.empty() && !story.document.match.empty();
  if (pair || known || !story.document.spans.empty())
    add_texts(story, options.run, recorded, self, pair ? &other : nullptr, context);
  if (!pair && !known && !story.document.match.empty() && by_document(story.document))
    story.problems.push_back(fmt::format("{}: not a document of the run", story.document.match));
  return story;
}

}  // namespace refrain
