// Passages as tab-separated rows.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "refrain/index.h"
#include "verbs/run/tsv.h"

namespace refrain {

namespace {

std::string as_utf8(std::string_view text) {
  std::string out;
  append_utf8(out, text);
  return out;
}

class TsvPassages final : public PassageSink {
 public:
  TsvPassages(std::function<void(std::string_view)> out, PassagesOf of, bool texts)
      : out_(std::move(out)), of_query_(of == PassagesOf::query), texts_(texts) {
    row_ = of_query_ ? "query\tquery_begin\tquery_end\tid\tbegin\tend\tsimilarity\tscore\tquery_share\tdocument_share"
                     : "passage\tid\tbegin\tend\tsimilarity\tdocument_share";
    if (texts_) row_ += of_query_ ? "\tquery_text\ttext" : "\ttext";
    end_row();
  }

  void begin(const PassageHead& head) override {
    ++number_;
    head_ = head;
  }

  void occurrence(const Occurrence& occurrence) override {
    const auto add = [&](const auto& value) { fmt::format_to(std::back_inserter(row_), "\t{:.6g}", value); };
    const auto range = [&](const ByteRange& bytes) {
      fmt::format_to(std::back_inserter(row_), "\t{}\t{}", bytes.begin, bytes.end);
    };
    if (of_query_) {
      verbs::run::append_escaped(row_, head_.query);
      range(occurrence.query);
    } else {
      verbs::run::append_decimal(row_, number_);
    }
    text(occurrence.id);
    range(occurrence.bytes);
    add(occurrence.similarity);
    if (of_query_) {
      add(occurrence.score);
      add(occurrence.query_share);
    }
    add(occurrence.document_share);
    if (texts_ && of_query_)
      text(as_utf8(
          std::string_view(head_.text)
              .substr(occurrence.query.begin - head_.bytes.begin, occurrence.query.end - occurrence.query.begin)));
    if (texts_) text(as_utf8(occurrence.text));
    end_row();
  }

  void end() override {}

 private:
  void text(std::string_view value) {
    row_ += '\t';
    verbs::run::append_escaped(row_, value);
  }
  void end_row() {
    row_ += '\n';
    out_(row_);
    row_.clear();
  }

  std::function<void(std::string_view)> out_;
  bool of_query_;
  bool texts_;
  PassageHead head_;
  std::uint64_t number_ = 0;  // of the current passage
  std::string row_;
};

}  // namespace

std::unique_ptr<PassageSink> tsv_passages(std::function<void(std::string_view)> out, PassagesOf of, bool texts) {
  return std::make_unique<TsvPassages>(std::move(out), of, texts);
}

}  // namespace refrain
