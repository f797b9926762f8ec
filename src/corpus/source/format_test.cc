// Adds a format to those that there are, in this file alone: notes, one after the other, each of which ends with a line
// of three dashes. Its first line is its id.
#include "corpus/files/format.h"

#include <algorithm>
#include <cstring>

#include "corpus/rewrite/rewrite.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

constexpr std::string_view kEnd = "\n---\n";

std::size_t end_of_note(std::string_view bytes) {
  const std::size_t at = bytes.find(kEnd);
  return at == std::string_view::npos ? at : at + kEnd.size();
}

class NoteScanner final : public RecordScanner {
 public:
  using RecordScanner::RecordScanner;
  bool rescans() const override { return true; }
  std::size_t last_end(std::string_view bytes) override {
    const std::size_t at = bytes.rfind(kEnd);
    return at == std::string_view::npos ? at : at + kEnd.size();
  }
  std::size_t first_end(std::string_view bytes, std::size_t& held) override {
    held = bytes.size() - std::min(bytes.size(), kEnd.size() - 1);
    return end_of_note(bytes);
  }
};

class NoteParser final : public RecordParser {
 public:
  using RecordParser::RecordParser;

  bool parse(RawPiece& piece, const RecordFile& file, LargeTurn& /*turn*/, BatchBuilder& builder) override {
    while (piece.begin < piece.end && !builder.full()) {
      const std::string_view bytes(piece.bytes.data() + piece.begin, piece.end - piece.begin);
      const std::string_view note = bytes.substr(0, end_of_note(bytes));
      const std::size_t id_end = std::min(note.find('\n'), note.size());
      const bool whole = note.ends_with(kEnd) && id_end + kEnd.size() < note.size();
      const std::string_view text =
          whole ? note.substr(id_end + 1, note.size() - kEnd.size() - id_end - 1) : std::string_view();
      if (!whole || text.size() > options_.max_doc_bytes) {
        builder.add_bad(file.path, piece.line + 1, whole ? too_long_reason(options_.max_doc_bytes) : "no end");
      } else {
        std::memcpy(builder.room(), text.data(), text.size());
        builder.add(text.size(), note.substr(0, id_end));
        if (builder.raw()) builder.locate(note, {});
      }
      piece.line += static_cast<std::uint64_t>(std::count(note.begin(), note.end(), '\n'));
      piece.begin += note.size();
    }
    return true;
  }
};

const InputFormat kNotes{.id = static_cast<Format>(100),
                         .name = "notes",
                         .title = "notes",
                         .noun = "notebook",
                         .storage = Storage::decoded,
                         .endings = {".notes"},
                         .begins = [](std::string_view beginning) { return beginning.starts_with("NOTES"); },
                         .is_usual_name = [](std::string_view path) { return path.ends_with("notebook"); },
                         .own_ids = true,
                         .scanner = make_scanner<NoteScanner>,
                         .parser = make_parser<NoteParser>};

std::string note(const std::string& id, const std::string& text) {
  return id + "\n" + text + "\n---\n";
}

class NewFormat : public Corpus {
 protected:
  static SourceOptions reading(std::vector<std::string> paths) {
    SourceOptions options;
    options.paths = std::move(paths);
    options.more_formats = {&kNotes};
    return options;
  }
};

TEST_F(NewFormat, IsReadByItsEndingItsBeginningOrItsName) {
  const std::string notes = note("NOTES-1", "one\ntwo") + note("b", "--- three");
  write("in/a.notes", notes);
  write("in/B.NOTES.gz", gzip(notes));
  write("in/notebook", notes);
  write("in/other", notes);
  const Collected found = collect(reading({at("in")}));
  EXPECT_EQ(found.texts(), (Texts{"one\ntwo", "--- three", "one\ntwo", "--- three", "one\ntwo", "--- three", notes}));
  EXPECT_EQ(found.ids(), (Texts{"NOTES-1", "b", "NOTES-1", "b", "NOTES-1", "b", at("in/other")}));
  EXPECT_EQ(collect(reading({at("in/other")})).documents.size(), 2U);
  SourceOptions by_name = reading({write("x", note("x", "y"))});
  by_name.format = kNotes.id;
  EXPECT_EQ(collect(by_name).texts(), Texts{"y"});
  // Without its row, it is no format.
  EXPECT_EQ(collect({.paths = {at("in/a.notes")}}).texts(), Texts{notes});
}

TEST_F(NewFormat, LongAndBadRecordsAreCountedAndReadingContinues) {
  const std::string path = write("a.notes", note("a", "x") + note("b", std::string(100, 'y')) +
                                                note("c", std::string(5'000, 'z')) + note("d", "w") + "without an end");
  SourceOptions options = reading({path});
  options.max_doc_bytes = 10;
  const Collected found = collect(options);
  EXPECT_EQ(found.texts(), (Texts{"x", "<bad>", "<bad>", "w", "<bad>"}));
  EXPECT_EQ(found.complaints(), (Texts{path + ":4: longer than `max_doc_bytes` (10 bytes)",
                                       path + ":7: longer than `max_doc_bytes` (10 bytes)", path + ":13: no end"}));
}

TEST_F(NewFormat, IsWrittenAgainWithoutWhatWasRemoved) {
  const std::string path = write("a.notes", note("a", "x") + note("b", "drop") + note("c", "z"));
  const SourceOptions options = reading({path});
  const auto rewritten = [&](const TextCuts& cuts, const Annotations& annotations) {
    std::filesystem::create_directories(at("out"));
    const Context run = context();
    MemoryBudget budget(run);
    const CutDocument cut = [&](DocId, const DigestedText& text) { return text == "drop" ? cuts : TextCuts{}; };
    return rewrite_documents(options, run, budget, at("out"), cut, annotations);
  };
  const auto refused = [&](const TextCuts& cuts, const Annotations& annotations) -> std::string {
    try {
      rewritten(cuts, annotations);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(rewritten({.ranges = {}, .drop = true}, {}).dropped, 1U);
  EXPECT_EQ(read("out/a.notes"), note("a", "x") + note("c", "z"));
  const ByteRange range{0, 1};
  EXPECT_EQ(refused({.ranges = {&range, 1}}, {}),
            path + ": cannot cut passages out of a notebook; convert it to jsonl first");
  EXPECT_EQ(refused({}, {.names = {"n"}, .values = [](DocId, std::span<AddedValue>) {}}),
            path + ": 'n' cannot be added to a notebook; use jsonl, csv, tsv or parquet");
}

}  // namespace
}  // namespace refrain::corpus
