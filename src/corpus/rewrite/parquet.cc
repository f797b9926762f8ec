#include "corpus/rewrite/parquet.h"

#include <bit>
#include <cstring>
#include <utility>

#include "base/threads.h"

namespace refrain::corpus {

namespace {

constexpr const char* kWhat = "the decisions about a row group";
constexpr const char* kAdded = "the values that are added to a row group";

// The edits of row groups before the first one that changes.
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

ParquetGroup::Column::Column(MemoryBudget& budget)
    : kinds(budget, kAdded), values(budget, kAdded), texts(budget, kAdded) {}

ParquetGroup::ParquetGroup(const Context& context, MemoryBudget& budget, const Annotations& annotations)
    : context_(context),
      annotations_(annotations),
      rows_(budget, kWhat),
      cuts_(budget, kWhat),
      cut_ends_(budget, kWhat),
      text_(budget, "the rest of a long document"),
      rewriter_(budget, [this](std::string_view bytes) { text_.append(std::span(bytes.data(), bytes.size())); }) {
  for (std::size_t i = 0; i < annotations.names.size(); ++i) columns_.emplace_back(budget);
}

void ParquetGroup::add(RowFate fate, std::span<const ByteRange> cuts, std::uint64_t offset) {
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

void ParquetGroup::annotate(DocId document) {
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

AddedValue ParquetGroup::added(std::size_t name, std::uint64_t row) {
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

std::string_view ParquetGroup::next_text(std::string_view text, bool utf8) {
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

void ParquetGroup::pause() {
  throw_if_stopped(context_);
}

ParquetOutput::ParquetOutput(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                             const Annotations& annotations, std::string from, std::string to, Done done)
    : options_(options),
      context_(context),
      budget_(budget),
      annotations_(annotations),
      from_(std::move(from)),
      to_(std::move(to)),
      done_(std::move(done)) {}

void ParquetOutput::write(std::size_t number, std::unique_ptr<ParquetGroup> group, bool last) {
  writer_.write([&] { return waiting_.size() < kMostWaiting; },
                [&] {
                  waiting_.emplace(number, Waiting{std::move(group), last});
                },
                [&](std::unique_lock<std::mutex>& lock) { write_waiting(lock); });
}

void ParquetOutput::write_waiting(std::unique_lock<std::mutex>& lock) {
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    Waiting next = std::move(waiting_.extract(waiting_.begin()).mapped());
    lock.unlock();
    write_next(next);
    next.group.reset();
    lock.lock();
    ++next_;
    writer_.notify();
  }
}

void ParquetOutput::write_next(Waiting& waiting) {
  ParquetGroup& group = *waiting.group;
  if (!copy_ && group.changed()) {
    copy_ = copy_parquet(from_, to_, options_, annotations_, budget_);
    Unchanged unchanged(context_);
    for (std::size_t before = 0; before < next_; ++before) copy_->write(before, unchanged);
  }
  if (copy_ && !group.empty())
    copy_->write(next_, group);  // a file may have no row groups; then this call only ends it
  if (!waiting.last) return;
  done_(copy_ ? std::optional(copy_->close()) : std::nullopt);
  copy_.reset();
}

}  // namespace refrain::corpus
