#include "corpus/rewrite/parquet.h"

#include <bit>
#include <cstring>

#include "base/threads.h"

namespace refrain::corpus {

namespace {

constexpr const char* kWhat = "the decisions about a row group";
constexpr const char* kAdded = "the values that are added to a row group";

// For row groups that come before the first which changes.
class Unchanged final : public ParquetEdits {
 public:
  explicit Unchanged(const Context& context) : context_(context) {}
  std::string_view next_text(std::string_view text, bool) override { return text; }
  AddedValue added(std::size_t, std::uint64_t) override { return {}; }
  void pause() override { throw_if_stopped(context_); }

 private:
  const Context& context_;
};

}  // namespace

ParquetRewriter::Column::Column(MemoryBudget& budget)
    : kinds(budget, kAdded), values(budget, kAdded), texts(budget, kAdded) {}

ParquetRewriter::ParquetRewriter(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                                 const Annotations& annotations)
    : options_(options),
      context_(context),
      budget_(budget),
      annotations_(annotations),
      rows_(budget, kWhat),
      cuts_(budget, kWhat),
      cut_ends_(budget, kWhat),
      text_(budget, "the rest of a long document"),
      rewriter_(budget, [this](std::string_view bytes) { text_.append(std::span(bytes.data(), bytes.size())); }) {
  for (std::size_t i = 0; i < annotations.names.size(); ++i) columns_.emplace_back(budget);
}

void ParquetRewriter::begin_file(const std::string& from, const std::string& to) {
  from_ = from;
  to_ = to;
  copy_.reset();
  group_ = 0;
  changed_ = false;
}

void ParquetRewriter::add(RowFate fate, std::span<const ByteRange> cuts, std::uint64_t offset) {
  rows_.push_back(fate);
  for (Column& column : columns_) {
    column.kinds.push_back(0);
    column.values.push_back(column.texts.size());
  }
  if (fate == RowFate::keep) return;
  changed_ = true;
  if (fate != RowFate::cut) return;
  for (const ByteRange& range : cuts) cuts_.push_back({range.begin - offset, range.end - offset});
  cut_ends_.push_back(cuts_.size());
}

void ParquetRewriter::annotate(DocId document) {
  if (columns_.empty()) return;
  values_.assign(columns_.size(), {});
  annotations_.values(document, values_);
  const std::size_t row = rows_.size() - 1;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    column.kinds[row] = static_cast<std::uint8_t>(values_[i].index());
    if (const auto* truth = std::get_if<bool>(&values_[i])) column.values[row] = *truth ? 1 : 0;
    if (const auto* integer = std::get_if<std::int64_t>(&values_[i]))
      column.values[row] = static_cast<std::uint64_t>(*integer);
    if (const auto* real = std::get_if<double>(&values_[i])) column.values[row] = std::bit_cast<std::uint64_t>(*real);
    if (const auto* text = std::get_if<std::string_view>(&values_[i])) {
      column.values[row] = column.texts.size();
      const auto size = static_cast<std::uint32_t>(text->size());
      column.texts.append(std::span(reinterpret_cast<const char*>(&size), sizeof size));
      column.texts.append(std::span(text->data(), text->size()));
    }
  }
}

AddedValue ParquetRewriter::added(std::size_t name, std::uint64_t row) {
  if (name >= columns_.size()) return {};
  const Column& column = columns_[name];
  const std::uint64_t value = column.values[row];
  switch (column.kinds[row]) {
    case 1:
      return value != 0;
    case 2:
      return static_cast<std::int64_t>(value);
    case 3:
      return std::bit_cast<double>(value);
    case 4: {
      std::uint32_t size = 0;
      std::memcpy(&size, column.texts.data() + value, sizeof size);
      return std::string_view(column.texts.data() + value + sizeof size, size);
    }
    default:
      return {};
  }
}

std::string_view ParquetRewriter::next_text(std::string_view text, bool utf8) {
  const std::uint64_t begin = next_cut_ == 0 ? 0 : cut_ends_[next_cut_ - 1];
  const std::uint64_t end = cut_ends_[next_cut_++];
  text_.clear();
  rewriter_.cut(text, {.ranges = std::span<const ByteRange>(cuts_.data() + begin, end - begin)});
  if (utf8)
    rewriter_.write_utf8();
  else
    rewriter_.write_plain();
  return {text_.data(), text_.size()};
}

void ParquetRewriter::pause() {
  throw_if_stopped(context_);
}

// The copy, with all the row groups before this one.
void ParquetRewriter::start() {
  copy_ = copy_parquet(from_, to_, options_, annotations_, budget_);
  Unchanged unchanged(context_);
  for (std::size_t group = 0; group < group_; ++group) copy_->write(group, unchanged);
}

void ParquetRewriter::end_group() {
  if (!copy_ && (changed_ || !columns_.empty())) start();
  if (copy_ && !rows_.empty()) {  // a file may have no row group at all, and this ends it then
    fates = std::span<const RowFate>(rows_.data(), rows_.size());
    next_cut_ = 0;
    copy_->write(group_, *this);
  }
  ++group_;
  changed_ = false;
  rows_.resize(0);
  cuts_.resize(0);
  cut_ends_.resize(0);
  text_.resize(0);
  for (Column& column : columns_) {
    column.kinds.resize(0);
    column.values.resize(0);
    column.texts.resize(0);
  }
}

std::optional<std::uint64_t> ParquetRewriter::end_file() {
  if (!copy_) return std::nullopt;
  const std::uint64_t bytes = copy_->close();
  copy_.reset();
  return bytes;
}

}  // namespace refrain::corpus
