#include "verbs/dedup/report/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "refrain/error.h"
#include "refrain/utf8.h"

namespace refrain::verbs::dedup {

namespace {

[[noreturn]] void fail(std::string_view name, const char* what) {
  throw Error(Errc::corrupt, fmt::format("report template: '{}' {}; this is a bug", name, what));
}

class Filler {
 public:
  explicit Filler(std::string_view whole) : whole_(whole) {}

  void fill(std::string_view page, const PageData& data) {
    scopes_.push_back(&data);
    while (true) {
      const std::size_t open = page.find("{{");
      out_ += page.substr(0, open);
      if (open == std::string_view::npos) break;
      page.remove_prefix(open + 2);
      const std::size_t close = page.find("}}");
      if (close == std::string_view::npos) fail(page.substr(0, 20), "does not end");
      const std::string_view tag = page.substr(0, close);
      page.remove_prefix(close + 2);
      if (tag.starts_with('#') || tag.starts_with('^'))
        page = section(tag.substr(1), tag.front() == '^', page);
      else if (tag.starts_with('>'))
        again(tag.substr(1));
      else
        slot(tag);
    }
    scopes_.pop_back();
  }
  std::string take() { return std::move(out_); }

 private:
  void slot(std::string_view name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const std::string* text = (*scope)->text(name)) {
        append_html(out_, *text);
        return;
      }
    }
    fail(name, "has no text");
  }

  void again(std::string_view name) {
    const std::string begin = fmt::format("{{{{#{}}}}}", name);
    const std::size_t at = whole_.find(begin);
    if (at == std::string_view::npos) fail(name, "is no section");
    section(name, false, whole_.substr(at + begin.size()));
  }

  // Returns the part of the page after the section.
  std::string_view section(std::string_view name, bool for_none, std::string_view page) {
    const std::string end = fmt::format("{{{{/{}}}}}", name);
    const std::size_t close = page.find(end);
    if (close == std::string_view::npos) fail(name, "does not end");
    const std::string_view inside = page.substr(0, close);
    const std::list<PageData>* items = nullptr;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && items == nullptr; ++scope)
      items = (*scope)->items(name);
    const bool none = items == nullptr || items->empty();
    if (for_none && none) fill(inside, PageData());
    if (!for_none && !none)
      for (const PageData& item : *items) fill(inside, item);
    return page.substr(close + end.size());
  }

  const std::string_view whole_;
  std::string out_;
  std::vector<const PageData*> scopes_;  // innermost last
};

template <class Named>
auto* find_named(Named& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == name; });
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace

void append_html(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const CodePoint character = decode_utf8(text, 0);
    const char c = text.front();
    if (!character.valid())
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (is_unseen(character.value) && c != '\n' && c != '\t')
      out += fmt::format(fmt::runtime(character.value < 0x80 ? "\\x{:02x}" : "\\u{:04x}"), character.value);
    else
      out += text.substr(0, character.size);
    text.remove_prefix(character.size);
  }
}

PageData& PageData::set(std::string_view name, std::string text) {
  if (std::string* there = find_named(texts_, name))
    *there = std::move(text);
  else
    texts_.emplace_back(name, std::move(text));
  return *this;
}

PageData& PageData::add(std::string_view list) {
  std::list<PageData>* items = find_named(lists_, list);
  return (items != nullptr ? *items : lists_.emplace_back(list, std::list<PageData>{}).second).emplace_back();
}

const std::string* PageData::text(std::string_view name) const {
  return find_named(texts_, name);
}

const std::list<PageData>* PageData::items(std::string_view list) const {
  return find_named(lists_, list);
}

std::string fill_page(std::string_view page, const PageData& data) {
  Filler filler(page);
  filler.fill(page, data);
  return filler.take();
}

namespace {

constexpr double kWidth = 520;
constexpr double kTop = 18;
constexpr double kHeight = 190;  // of the plot, for vertical bars
constexpr double kLeft = 52;
constexpr double kLine = 26;        // height of a horizontal bar
constexpr double kLabels = 200;     // width for the labels of those
constexpr std::size_t kLabel = 25;  // bytes of one label

std::string place(double value) {
  return fmt::format("{:.1f}", value);
}

void add_word(PageData& to, double x, double y, const char* side, std::string text) {
  to.add("words").set("x", place(x)).set("y", place(y)).set("side", side).set("text", std::move(text));
}

void add_rect(PageData& to, double x, double y, double width, double height, std::size_t kind, std::uint64_t value,
              std::string tip) {
  to.add("rects")
      .set("x", place(x))
      .set("y", place(y))
      .set("width", place(width))
      .set("height", place(height))
      .set("kind", std::to_string(kind))
      .set("value", std::to_string(value))
      .set("tip", std::move(tip));
}

std::string tip_of(const Chart& chart, const Chart::Bar& bar, std::size_t series) {
  return fmt::format("{}: {} {}", bar.label, count_text(bar.values[series]), chart.series[series]);
}

// Labels are paths, so the end of one says more than its beginning.
std::string short_label(const std::string& label) {
  if (label.size() <= kLabel) return label;
  return "…" + label.substr(boundary_after(label, label.size() - kLabel));
}

void draw_vertical(PageData& to, const Chart& chart) {
  std::uint64_t most = 1;
  for (const Chart::Bar& bar : chart.bars)
    for (const std::uint64_t value : bar.values) most = std::max(most, value);
  // The value 1 is a tenth of a decade above the base line, so that it is visible.
  const double decades = std::max(1.0, std::ceil(std::log10(static_cast<double>(most)) - 1e-9)) + 0.1;
  const auto height = [&](std::uint64_t value) {
    return value == 0 ? 0.0 : kHeight * (std::log10(static_cast<double>(value)) + 0.1) / decades;
  };
  const double ground = kTop + kHeight;
  std::uint64_t tick = 1;
  for (double decade = 0; decade < decades; ++decade, tick *= 10) {
    const double y = ground - height(tick);
    to.add("lines").set("x1", place(kLeft)).set("y1", place(y)).set("x2", place(kWidth)).set("y2", place(y));
    add_word(to, kLeft - 6, y + 4, "end", count_text(tick));
  }
  const double slot = (kWidth - kLeft) / static_cast<double>(chart.bars.size());
  const double width = std::min(48.0, slot * 0.8 / static_cast<double>(chart.series.size()));
  // Labels that would touch are left out; the table has all of them.
  std::size_t longest = 1;
  for (const Chart::Bar& bar : chart.bars) longest = std::max(longest, bar.label.size());
  const auto every =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(static_cast<double>(longest) * 6.6 / slot)));
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Chart::Bar& bar = chart.bars[i];
    const double middle = kLeft + slot * (static_cast<double>(i) + 0.5);
    double x = middle - width * static_cast<double>(bar.values.size()) / 2;
    for (std::size_t series = 0; series < bar.values.size(); ++series, x += width) {
      const std::uint64_t value = bar.values[series];
      if (value == 0) continue;
      add_rect(to, x, ground - height(value), width - 1, height(value), series, value, tip_of(chart, bar, series));
      if (chart.series.size() == 1 && width >= 24)
        add_word(to, x + width / 2, ground - height(value) - 4, "middle", count_text(value));
    }
    if (i % every == 0) add_word(to, middle, ground + 18, "middle", bar.label);
  }
  to.set("width", place(kWidth)).set("height", place(ground + 28));
}

void draw_horizontal(PageData& to, const Chart& chart) {
  std::uint64_t most = 1;
  for (const Chart::Bar& bar : chart.bars) {
    std::uint64_t sum = 0;
    for (const std::uint64_t value : bar.values) sum += value;
    most = std::max(most, sum);
  }
  const double scale = (kWidth - kLabels - 8) / static_cast<double>(most);
  double y = 6;
  for (const Chart::Bar& bar : chart.bars) {
    add_word(to, kLabels - 8, y + 15, "end", short_label(bar.label));
    double x = kLabels;
    for (std::size_t series = 0; series < bar.values.size(); ++series) {
      const double width = scale * static_cast<double>(bar.values[series]);
      if (bar.values[series] != 0)
        add_rect(to, x, y, std::max(width, 1.0), kLine - 8, series, bar.values[series], tip_of(chart, bar, series));
      x += width;
    }
    y += kLine;
  }
  to.set("width", place(kWidth)).set("height", place(y + 2));
}

}  // namespace

void add_chart(PageData& page, const Chart& chart) {
  if (chart.bars.empty()) return;
  PageData& to = page.add("charts");
  to.set("name", chart.name).set("title", chart.title).set("note", chart.note);
  if (chart.horizontal)
    draw_horizontal(to, chart);
  else
    draw_vertical(to, chart);
  to.add("head").set("text", chart.first);
  for (std::size_t series = 0; series < chart.series.size(); ++series) {
    to.add("head").set("text", chart.series[series]);
    if (chart.series.size() > 1) to.add("keys").set("kind", std::to_string(series)).set("text", chart.series[series]);
  }
  for (const Chart::Bar& bar : chart.bars) {
    PageData& row = to.add("rows");
    row.set("label", bar.label);
    for (const std::uint64_t value : bar.values) row.add("cells").set("text", count_text(value));
  }
}

std::size_t DoublingHistogram::first() const {
  return static_cast<std::size_t>(
      std::find_if(counts_.begin(), counts_.end(), [](std::uint64_t count) { return count != 0; }) - counts_.begin());
}

std::size_t DoublingHistogram::place(std::uint64_t value) {
  return value == 0 ? 0 : 1 + static_cast<std::size_t>(std::bit_width(value - 1));
}

std::string DoublingHistogram::label(std::size_t i) {
  if (i <= 2) return std::to_string(i);
  const auto number = [](std::uint64_t value) {
    static constexpr const char* kUnits[] = {"", "K", "M", "G", "T"};
    std::size_t unit = 0;
    for (; value >= 10240 && unit < 4; ++unit) value /= 1024;
    return std::to_string(value) + kUnits[unit];
  };
  const std::uint64_t low = std::uint64_t{1} << (i - 2);
  return number(low < 10240 ? low + 1 : low) + "–" + number(low * 2);
}

}  // namespace refrain::verbs::dedup
