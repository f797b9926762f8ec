#include "verbs/dedup/report/page_slots.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace refrain::verbs::dedup
