#include "pipeline/passages.h"

#include <string>

#include "base/json.h"
#include "base/progress.h"
#include "pipeline/tsv.h"

namespace refrain {

namespace {

// Passages in order, and places in the order of the passages that they repeat: a merge of two lists.
class PassageWriter {
 public:
  PassageWriter(const Repeats& found, const TextStore& text, const IdStore& ids, const Context& context,
                OutputFile& out)
      : found_(found),
        text_(text),
        ids_(ids),
        progress_(context, "passages", "passages", found.first.size()),
        out_(out) {}

  void add(const RepeatPlace& place) {
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
    const auto size = static_cast<std::size_t>(passage.end - passage.begin);
    row_ = R"({"id":)" + json_string(ids_.id(document));
    number(R"(,"start":)", passage.begin - begin);
    number(R"(,"end":)", passage.end - begin);
    number(R"(,"length":)", size);
    row_ += R"(,"text":)" + json_string({text_.read(passage.begin, size, scratch_), size}) + R"(,"places":[)";
    out_.write(row_);
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

  void write_place(ByteRange place, std::uint64_t offset) {
    const std::size_t document = text_.document_at(place.begin);
    const std::uint64_t begin = text_.document(document).begin;
    row_ = R"({"id":)" + json_string(ids_.id(document));
    number(R"(,"start":)", place.begin - begin);
    number(R"(,"end":)", place.end - begin);
    number(R"(,"offset":)", offset);
    row_ += '}';
    out_.write(row_);
    ++counts_.places;
  }

  void number(const char* key, std::uint64_t value) {
    row_ += key;
    append_decimal(row_, value);
  }

  const Repeats& found_;
  const TextStore& text_;
  const IdStore& ids_;
  Progress progress_;
  OutputFile& out_;
  std::size_t next_ = 0;  // the passage after the open one
  std::string row_;
  std::vector<char> scratch_;
  PassageCounts counts_;
};

}  // namespace

PassageCounts write_passages(const Repeats& found, const TextStore& text, const IdStore& ids, const Context& context,
                             OutputFile& out) {
  PassageWriter writer(found, text, ids, context, out);
  if (found.first.empty()) return writer.finish();
  writer.begin_passage();
  Context in_order = context;
  in_order.threads = 1;
  found.places->for_each_run(in_order,
                             [&](unsigned /*worker*/, std::size_t /*partition*/, const Run<RepeatPlace>& run) {
                               for (const RepeatPlace& place : run.records) writer.add(place);
                             });
  return writer.finish();
}

}  // namespace refrain
