#include "refrain/substrings.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/array.h"
#include "base/files/temp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "corpus/files/listing.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/source/join_hyphens.h"
#include "corpus/source/reader.h"
#include "engines/substring/repeats.h"
#include "refrain/error.h"
#include "refrain/memory.h"
#include "refrain/options.h"
#include "refrain/report_json.h"
#include "verbs/evidence/cuts.h"
#include "verbs/run/columns/text_store.h"
#include "verbs/run/input_identity.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/progress.h"
#include "verbs/run/skipped.h"
#include "verbs/run/tsv.h"
#include "verbs/substrings/substrings.h"

namespace refrain {

namespace {

// With `text_csv`, the options of `input` are ignored, so setting one is an error.
void check_unused(const InputOptions& input) {
  const InputOptions plain;
  for (const Option<InputOptions>& option : option_table<InputOptions>())
    if (option.get(input) != option.get(plain))
      throw Error(Errc::invalid_argument,
                  fmt::format("`{}`: has no effect with `text_csv`; remove it", option.info.name));
}

void check(const SubstringsOptions& options) {
  corpus::refuse_joined(options.input);
  if (options.text_csv.empty() && options.input.paths.empty())
    throw Error(Errc::invalid_argument, "no input; name files or folders, - for standard input, or `text_csv` FILE");
  if (!options.text_csv.empty() && !options.input.paths.empty())
    throw Error(Errc::invalid_argument,
                fmt::format("{}: cannot be combined with `text_csv`; remove one of them", options.input.paths.front()));
  if (options.text_csv.empty() && !options.ids.empty())
    throw Error(Errc::invalid_argument, "`ids`: needs `text_csv`; use `id_field` for other inputs");
  if (!options.text_csv.empty() && options.groups)
    throw Error(Errc::invalid_argument,
                "`groups`: cannot be combined with `text_csv`, where passages may cross documents; remove one of them");
  if (options.until_clean && !options.apply)
    throw Error(Errc::invalid_argument, "`until_clean`: needs `apply`, which writes what is left");
  if (!options.text_csv.empty()) check_unused(options.input);
}

// Returns how much of the available memory may hold text. If memory is short, reading long records needs most of
// it.
std::uint64_t text_memory(std::uint64_t available) {
  constexpr std::uint64_t kLittle = std::uint64_t{256} << 20U;
  return available / (available < kLittle ? 8 : 3);
}

class Substrings {
 public:
  Substrings(const SubstringsOptions& options, const Context& context)
      : options_(options),
        context_(context),
        budget_(context),
        temp_(context),
        text_(budget_, temp_, text_memory(budget_.available())),
        ids_(budget_),
        removed_(budget_, "the ranges to remove") {
    report_.threads = thread_count(context);
    report_.memory_bytes = budget_.ceiling();
  }

  // Does everything except publishing `output`. Without an output, rows go to `rows`.
  SubstringsReport run(verbs::run::OutputDir* output, SubstringsResult* rows = nullptr) {
    verbs::run::run_stage(report_.stages, "read", [&] {
      if (options_.text_csv.empty())
        read();
      else
        report_.read = verbs::substrings::read_line_corpus(options_.text_csv, options_.ids, context_, text_, ids_);
      return report_.read.bytes;
    });
    std::optional<substring::Repeats> found;
    verbs::run::run_stage(report_.stages, "find", [&] {
      found.emplace(substring::find_repeats(
          {.length = options_.length, .min_count = options_.min_count, .places = options_.groups}, text_,
          text_.bounds(), context_, budget_, temp_));
      return text_.size();
    });
    report_.samples = found->samples;
    report_.windows = found->windows;
    verbs::run::run_stage(report_.stages, "write", [&] {
      if (output != nullptr) return write_ranges(*found, *output);
      list_ranges(*found, *rows);
      return std::uint64_t{0};
    });
    if (options_.groups)
      verbs::run::run_stage(report_.stages, "passages", [&] { return list_passages(*found, *output); });
    found.reset();
    if (options_.until_clean) verbs::run::run_stage(report_.stages, "repeat", [&] { return run_further_passes(); });
    if (rows != nullptr) list_removable(*rows);
    if (options_.apply && output != nullptr)
      verbs::run::run_stage(report_.stages, "apply", [&] { return apply(*output); });
    report_.temp_peak_bytes = temp_.peak_bytes();
    report_.peak_rss_bytes = peak_rss_bytes();
    return report_;
  }

 private:
  void read() {
    Pool<verbs::run::WaitingTexts> pool;
    report_.read = verbs::run::read_listed(
        options_.input, context_, budget_,
        [&](unsigned /*worker*/, corpus::Batch& batch) -> corpus::InOrder {
          auto waiting = pool.take([&] { return std::make_unique<verbs::run::WaitingTexts>(budget_); });
          waiting->hold(batch.texts, budget_, temp_);
          auto ids = std::make_shared<const corpus::BatchIds>(std::move(batch.ids));
          return {[this, waiting, ids](DocId first) {
                    waiting->append_to(text_);
                    ids_.add(*ids, first);
                  },
                  [this, waiting] { waiting->fill(text_); }};
        },
        {.keeps_texts = true});
    text_.finish();
  }

  // Writes the rows of substring_bytes.tsv and, if all lines are one string, those of sa.txt.
  std::uint64_t write_ranges(substring::Repeats& found, verbs::run::OutputDir& output) {
    OutputFile out = output.create("substring_bytes.tsv");
    std::optional<OutputFile> whole;
    if (!options_.text_csv.empty()) whole.emplace(output.create("sa.txt"));
    out.write("id\tx\ty\n");
    visit_ranges(
        found,
        [&](ByteRange range) {
          if (whole) write_row(*whole, std::string(), ' ', range);
        },
        [&](std::size_t document, ByteRange bytes) {
          std::string id;
          ids_.append_escaped_id(id, document);
          write_row(out, id, '\t', bytes);
        });
    out.close();
    if (whole) whole->close();
    return out.bytes();
  }

  // Does the same in memory.
  void list_ranges(substring::Repeats& found, SubstringsResult& rows) {
    visit_ranges(
        found, [](ByteRange) {},
        [&](std::size_t document, ByteRange bytes) {
          rows.repeated.push_back({document, bytes});
        });
  }

  void list_removable(SubstringsResult& rows) const {
    std::size_t document = 0;
    for (const ByteRange& range : removed_) {
      while (text_.document(document).end <= range.begin) ++document;
      const std::uint64_t begin = text_.document(document).begin;
      const ByteRange bytes{range.begin - begin, range.end - begin};
      if (SubstringRange* last = rows.removable.empty() ? nullptr : &rows.removable.back();
          last != nullptr && last->document == document && last->bytes.end == bytes.begin)
        last->bytes.end = bytes.end;  // adjacent ranges from different passes
      else
        rows.removable.push_back({document, bytes});
    }
  }

  // Calls range_found() for every repeated range of the text, and row_found() for its part in each document. Also
  // collects what is to be removed, which takes the place of found.repeated: that is used up.
  template <class Range, class Row>
  void visit_ranges(substring::Repeats& found, Range range_found, Row row_found) {
    verbs::evidence::Snapper snapper(options_.snap, text_);
    verbs::substrings::Cutter cutter(options_, text_, found);
    Progress progress(context_, "write", "ranges", found.repeated.size());
    std::optional<std::size_t> last;
    const auto remove = [&](ByteRange range) {
      report_.removable_bytes += range.end - range.begin;
      if (options_.apply) removed_.push_back(range);
    };
    verbs::substrings::for_each_piece(
        found.repeated, text_, options_.length,
        [&](ByteRange range) {
          progress.add(1);
          range_found(range);
        },
        [&](std::size_t d, ByteRange piece, ByteRange document) {
          if (const auto row = snapper.shrink(piece, document)) {
            row_found(d, ByteRange{row->begin - document.begin, row->end - document.begin});
            ++report_.ranges;
            report_.repeated_bytes += row->end - row->begin;
            if (std::exchange(last, d) != d) ++report_.repeated_documents;
          }
          cutter.cut(piece, document, remove);
        });
    cutter.finish(remove);
    progress.finish();
  }

  static void write_row(OutputFile& out, std::string row, char separator, ByteRange range) {
    if (!row.empty()) row += separator;
    verbs::run::append_decimal(row, range.begin);
    row += separator;
    verbs::run::append_decimal(row, range.end);
    row += '\n';
    out.write(row);
  }

  std::uint64_t list_passages(const substring::Repeats& found, verbs::run::OutputDir& output) {
    OutputFile out = output.create("passages.jsonl");
    const verbs::substrings::PassageCounts counts =
        verbs::substrings::write_passages(found, text_, ids_, context_, out);
    out.close();
    report_.passages = counts.passages;
    report_.places = counts.places;
    return out.bytes();
  }

  // Searches the remaining text until there is nothing left to cut. Returns the number of bytes searched.
  std::uint64_t run_further_passes() {
    report_.pass_bytes = {report_.removable_bytes};
    verbs::substrings::cut_until_clean(options_, text_, text_memory(budget_.available()), context_, budget_, temp_,
                                       removed_, report_.pass_bytes);
    report_.removable_bytes = std::accumulate(report_.pass_bytes.begin(), report_.pass_bytes.end(), std::uint64_t{0});
    return text_.size() * (report_.pass_bytes.size() - 1);
  }

  // Returns the number of bytes written.
  std::uint64_t apply(verbs::run::OutputDir& output) {
    const std::filesystem::path folder = output.create_folder("clean");
    const ByteRange* next = removed_.begin();
    const auto cuts_of = [&](std::size_t number) -> corpus::TextCuts {
      const ByteRange document = text_.document(number);
      const ByteRange* const first = next;
      while (next != removed_.end() && next->begin < document.end) ++next;
      return {{first, next}, document.begin};
    };
    if (!options_.text_csv.empty()) return apply_to_lines(folder, cuts_of);
    text_.forget_text();
    const corpus::RewriteReport done =
        corpus::rewrite_documents(corpus::reread_options(options_.input, report_.read), context_, budget_, folder,
                                  [&](DocId number, std::string_view text) -> corpus::TextCuts {
                                    const ByteRange document = text_.document(number);
                                    if (text.size() != document.end - document.begin) watch_.check(true);
                                    return cuts_of(number);
                                  });
    watch_.check(done.documents != report_.read.documents);
    report_.changed_documents = done.changed;
    report_.removed_bytes = done.removed_bytes;
    return done.written_bytes;
  }

  template <class CutsOf>
  std::uint64_t apply_to_lines(const std::filesystem::path& folder, CutsOf cuts_of) {
    OutputFile out((folder / std::filesystem::path(options_.text_csv).filename()).string());
    auto copy = [&, scratch = std::vector<char>()](std::uint64_t begin, std::uint64_t end) mutable {
      constexpr std::uint64_t kChunk = std::uint64_t{1} << 20U;
      for (; begin < end; begin += kChunk) {
        const auto size = static_cast<std::size_t>(std::min(kChunk, end - begin));
        out.write({text_.read(begin, size, scratch), size});
      }
    };
    for (std::size_t number = 0; number < text_.documents(); ++number) {
      const ByteRange line = text_.document(number);
      const std::span<const ByteRange> cuts = cuts_of(number).ranges;
      report_.changed_documents += cuts.empty() ? 0 : 1;
      std::uint64_t at = line.begin;
      for (const ByteRange& cut : cuts) {
        copy(at, cut.begin);
        at = cut.end;
        report_.removed_bytes += cut.end - cut.begin;
      }
      copy(at, std::min(line.end + 1, text_.size()));  // with its line break
    }
    out.close();
    return out.bytes();
  }

  const SubstringsOptions& options_;
  const verbs::run::InputWatch watch_{options_.input};
  const Context& context_;
  MemoryBudget budget_;
  const Reservation listing_ = corpus::reserve_listing(options_.input, budget_);
  TempSpace temp_;
  verbs::run::TextStore text_;
  verbs::run::IdStore ids_;
  Array<ByteRange> removed_;
  SubstringsReport report_;
};

}  // namespace

SubstringsReport substrings(const SubstringsOptions& asked, const Context& context) {
  check(asked);
  SubstringsOptions options = asked;
  options.input.as_is = true;  // ranges refer to the bytes of a file
  if (options.apply && options.text_csv.empty()) corpus::check_rewritable(options.input, context, true, false);
  std::vector<std::string> inputs = options.input.paths;
  for (const std::string& path : {options.text_csv, options.ids})
    if (!path.empty()) inputs.push_back(path);
  Substrings verb(options, context);
  verbs::run::OutputDir output(
      {.target = options.output,
       .force = options.force,
       .verb = "substrings",
       .outputs = {"substring_bytes.tsv", "sa.txt", "passages.jsonl", "clean", verbs::run::kSkippedName},
       .inputs = std::move(inputs)});
  verbs::run::list_skipped(options.input, output);
  SubstringsReport report = verb.run(&output);
  output.publish(to_json(options, report));
  return report;
}

SubstringsResult substrings(DocumentStream& documents, const SubstringsOptions& options, const Context& context) {
  SubstringsOptions over = options;
  over.input = corpus::over_stream(options.input, documents, options.output);
  corpus::refuse_joined(over.input);
  if (options.groups || options.apply || !options.text_csv.empty())
    throw Error(Errc::invalid_argument, "documents in memory: `groups`, `apply` and `text_csv` write files");
  over.apply = true;  // determines what would be removed, without writing anything
  SubstringsResult result;
  result.report = Substrings(over, context).run(nullptr, &result);
  return result;
}

}  // namespace refrain
