// Rows of index results as JSON: a passage is written in several pieces, a blot as one line.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "refrain/index.h"
#include "refrain/report_json.h"

namespace refrain {

namespace {

std::string range_fields(const ByteRange& bytes) {
  return fmt::format(R"("begin":{},"end":{})", bytes.begin, bytes.end);
}

std::string blot_field(std::uint64_t blot, unsigned digits) {
  return fmt::format(R"({{"blot":"{:0{}x}")", blot, digits);
}

class JsonPassages final : public PassageSink {
 public:
  JsonPassages(std::function<void(std::string_view)> out, bool texts) : out_(std::move(out)), texts_(texts) {}

  void begin(const PassageHead& head) override {
    std::string row;
    format(head, row);
    out_(row);
    first_ = true;
  }

  void occurrence(const Occurrence& occurrence) override {
    std::string row;
    format(occurrence, std::exchange(first_, false), row);
    out_(row);
  }

  void end() override { out_("]}\n"); }

  bool formats() const override { return true; }
  void format(const PassageHead& head, std::string& out) const override {
    out += '{';
    if (texts_) {  // appended in place: a passage may be as long as a document
      out += R"("passage":)";
      append_json_text(out, head.text);
      out += ',';
    }
    out +=
        fmt::format(R"("length":{},"similarity":{:.6g},"documents":{})", head.length, head.similarity, head.documents);
    if (!head.query.empty())
      out +=
          fmt::format(R"(,"query":{},{},"score":{:.6g})", json_text(head.query), range_fields(head.bytes), head.score);
    if (head.unverified > 0) out += fmt::format(R"(,"unverified":{})", head.unverified);
    out += R"(,"occurrences":[)";
  }
  void format(const Occurrence& occurrence, bool first, std::string& out) const override {
    const bool of_query = occurrence.query.end > occurrence.query.begin;
    out += fmt::format(R"({}{{"id":{},{})", first ? "" : ",", json_text(occurrence.id), range_fields(occurrence.bytes));
    if (of_query)
      out += fmt::format(R"(,"query_begin":{},"query_end":{})", occurrence.query.begin, occurrence.query.end);
    out += fmt::format(R"(,"similarity":{:.6g})", occurrence.similarity);
    if (of_query)
      out += fmt::format(R"(,"score":{:.6g},"query_share":{:.6g})", occurrence.score, occurrence.query_share);
    out += fmt::format(R"(,"document_share":{:.6g})", occurrence.document_share);
    if (texts_) {
      out += R"(,"text":)";
      append_json_text(out, occurrence.text);
    }
    out += '}';
  }
  void write(std::string_view text) override { out_(text); }

 private:
  std::function<void(std::string_view)> out_;
  bool texts_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<PassageSink> json_passages(std::function<void(std::string_view)> out, bool texts) {
  return std::make_unique<JsonPassages>(std::move(out), texts);
}

std::string to_json(const BlotRow& row) {
  std::string line = fmt::format(R"({},"count":{},"documents":[)", blot_field(row.blot, row.digits), row.ids.size());
  for (std::size_t i = 0; i < row.ids.size(); ++i) {
    if (i > 0) line += ',';
    line += json_text(row.ids[i]);
  }
  return line + "]}\n";
}

std::string to_json(const BlotText& row) {
  return fmt::format("{},\"id\":{},{},\"text\":{}}}\n", blot_field(row.blot, row.digits), json_text(row.id),
                     range_fields(row.bytes), json_text(row.text));
}

std::string cursor_json(std::string_view cursor) {
  return fmt::format("{{\"cursor\":{}}}\n", json_text(cursor));
}

}  // namespace refrain
