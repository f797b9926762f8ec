#include "verbs/substrings/substrings.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/progress.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::substrings {

namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{64} << 10;

// Merges two lists: passages in order, and places in the order of the passages that they repeat.
class PassageWriter {
 public:
  PassageWriter(const substring::Repeats& found, const run::TextStore& text, const run::IdStore& ids,
                const Context& context, OutputFile& out)
      : found_(found),
        text_(text),
        ids_(ids),
        progress_(context, "passages", "passages", found.first.size()),
        out_(out) {}

  void add(const substring::RepeatPlace& place) {
    while (place.target >= found_.first[next_ - 1].end) begin_passage();
    const ByteRange& passage = found_.first[next_ - 1];
    out_.write(",");
    write_place({place.begin, place.begin + place.size}, place.target - passage.begin);
  }

  void begin_passage() {
    end_passage();
    const ByteRange passage = found_.first[next_++];
    progress_.add(1);
    const std::size_t document = text_.document_at(passage.begin);
    const std::uint64_t begin = text_.document(document).begin;
    row_ = R"({"id":)" + json_text(ids_.id(document));
    number(R"(,"start":)", passage.begin - begin);
    number(R"(,"end":)", passage.end - begin);
    number(R"(,"length":)", passage.end - passage.begin);
    row_ += R"(,"text":")";
    out_.write(row_);
    write_text(passage);
    out_.write(R"(","places":[)");
    write_place(passage, 0);
    ++counts_.passages;
  }

  PassageCounts finish() {
    while (next_ < found_.first.size()) begin_passage();
    end_passage();
    progress_.finish();
    return counts_;
  }

 private:
  void end_passage() {
    if (next_ > 0) out_.write("]}\n");
  }

  // Writes in pieces, because a passage may be as long as a document.
  void write_text(ByteRange passage) {
    for (std::uint64_t at = passage.begin; at < passage.end;) {
      const auto size = static_cast<std::size_t>(std::min(kPieceBytes, passage.end - at));
      std::string_view piece(text_.read(at, size, scratch_), size);
      // A character that continues beyond the piece is left to the next one.
      for (std::size_t tail = 1; at + size < passage.end && tail <= 3; ++tail)
        if (static_cast<unsigned char>(piece[size - tail]) >= 0xC0U) {
          piece.remove_suffix(tail);
          break;
        }
      const std::string quoted = json_text(piece);
      out_.write(std::string_view(quoted).substr(1, quoted.size() - 2));
      at += piece.size();
    }
  }

  void write_place(ByteRange place, std::uint64_t offset) {
    const std::size_t document = text_.document_at(place.begin);
    const std::uint64_t begin = text_.document(document).begin;
    row_ = R"({"id":)" + json_text(ids_.id(document));
    number(R"(,"start":)", place.begin - begin);
    number(R"(,"end":)", place.end - begin);
    number(R"(,"offset":)", offset);
    row_ += '}';
    out_.write(row_);
    ++counts_.places;
  }

  void number(const char* key, std::uint64_t value) {
    row_ += key;
    run::append_decimal(row_, value);
  }

  const substring::Repeats& found_;
  const run::TextStore& text_;
  const run::IdStore& ids_;
  Progress progress_;
  OutputFile& out_;
  std::size_t next_ = 0;  // index of the passage after the open one
  std::string row_;
  std::vector<char> scratch_;
  PassageCounts counts_;
};

}  // namespace

PassageCounts write_passages(const substring::Repeats& found, const run::TextStore& text, const run::IdStore& ids,
                             const Context& context, OutputFile& out) {
  PassageWriter writer(found, text, ids, context, out);
  if (found.first.empty()) return writer.finish();
  writer.begin_passage();
  Context in_order = context;
  in_order.threads = 1;
  found.places->for_each_run(
      in_order, [&](unsigned /*worker*/, std::size_t /*partition*/, const store::Run<substring::RepeatPlace>& run) {
        for (const substring::RepeatPlace& place : run.records) writer.add(place);
      });
  return writer.finish();
}

}  // namespace refrain::verbs::substrings
