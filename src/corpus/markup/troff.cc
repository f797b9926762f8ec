#include "corpus/markup/troff.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/ascii.h"
#include "corpus/markup/mime.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{64} << 10;  // a longer line is taken as literal text

std::string_view skip_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

// Removes a word, with the white space after it, and returns it.
std::string_view take_word(std::string_view& text) {
  std::string_view word = text.substr(0, text.find_first_of(" \t"));
  // An escape is not part of a name: ".el\{".
  if (!word.starts_with('\\')) word = word.substr(0, word.find('\\'));
  text = skip_blanks(text.substr(word.size()));
  return word;
}

bool is_control(std::string_view line) {
  return line.starts_with('.') || line.starts_with('\'');
}

// Removes the condition at the beginning of `text` and returns whether it holds on a terminal; true if that is unknown.
bool take_condition(std::string_view& text) {
  bool negated = false;
  while (text.starts_with('!')) {
    negated = !negated;
    text.remove_prefix(1);
  }
  if (text.empty()) return true;
  const char kind = text.front();
  const std::string_view rest = text.substr(1);
  const bool alone = rest.empty() || rest.front() == ' ' || rest.front() == '\\' || is_control(rest);
  if (alone && (kind == 'n' || kind == 't')) {
    text = skip_blanks(rest);
    return (kind == 'n') != negated;
  }
  if (kind == 'd' || kind == 'r' || kind == 'c') {
    text = skip_blanks(rest);
    take_word(text);
  } else if (kind == '\'' || kind == '"') {
    // The condition compares two strings.
    for (int strings = 0; strings < 2; ++strings) text.remove_prefix(std::min(text.find(kind, 1), text.size()));
    text = skip_blanks(text.substr(std::min<std::size_t>(1, text.size())));
  } else {
    const std::string_view word = text.substr(0, text.find(' '));
    text = skip_blanks(text.substr(std::min(word.find("\\{"), word.size())));
  }
  return true;
}

}  // namespace

std::string_view TroffText::read(std::string_view page, const Grow& grow) {
  text_.clear();
  escapes_.begin(page.size());
  mdoc_.begin();
  definition_.clear();
  skipped_blocks_ = 0;
  last_condition_held_ = false;
  while (!page.empty()) {
    std::string_view line = take_line(page);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    read_line(line, grow);
  }
  while (!text_.empty() && is_space(text_[text_.size() - 1])) text_.resize(text_.size() - 1);
  return {text_.data(), text_.size()};
}

void TroffText::read_line(std::string_view line, const Grow& grow) {
  if (skipped_blocks_ > 0) {
    skipped_blocks_ = std::max(skipped_blocks_ + blocks_begun(line), 0);
    return;
  }
  if (!definition_.empty()) {
    if (line.starts_with('.') && skip_blanks(line.substr(1)) == definition_) definition_.clear();
    return;
  }
  if (line.size() > kMaxLineBytes) return put_line(line, true, grow);
  if (is_control(line)) line = without_comment(line);
  // The text after a condition that holds is read as a line of its own.
  while (is_control(line))
    if (!request(line, grow)) return;
  shown_.clear();
  const bool ended = escapes_.decode(line, shown_);
  if (without_blanks(shown_).empty() && ended && without_blanks(line).empty()) return end_paragraph();
  if (!shown_.empty()) put_line(shown_, ended, grow);
}

// Executes the request or macro of a line. True if the rest of the line must be read as a line.
bool TroffText::request(std::string_view& line, const Grow& grow) {
  std::string_view rest = skip_blanks(line.substr(1));
  const std::string_view name = take_word(rest);
  if (name.empty() || name.starts_with('\\') || name == ".") return false;
  if (name == "if" || name == "ie" || name == "el" || name == "while") {
    line = rest;
    return condition(name, line);
  }
  if (name == "de" || name == "de1" || name == "am" || name == "am1" || name == "ig") {
    if (name != "ig") take_word(rest);
    const std::string_view end = take_word(rest);
    definition_ = end.empty() ? "." : end;
  } else if (name == "ds") {
    const std::string_view string = take_word(rest);
    escapes_.define(string, rest);
  } else {
    macro(name, rest, grow);
  }
  return false;
}

// Whether the text after a condition is to be read; if so, `rest` is set to it. Otherwise its block is skipped.
bool TroffText::condition(std::string_view name, std::string_view& rest) {
  const bool holds = name == "el" ? !last_condition_held_ : take_condition(rest);
  if (name == "ie") last_condition_held_ = holds;
  if (!holds) {
    skipped_blocks_ = std::max(blocks_begun(rest), 0);
    return false;
  }
  while (rest.starts_with("\\{")) rest = skip_blanks(rest.substr(2));
  return !rest.empty() && rest != "\\";
}

void TroffText::macro(std::string_view name, std::string_view rest, const Grow& grow) {
  const TroffMacro found = find_macro(name);
  if (found.kind == MacroText::nothing) return;
  if (found.kind == MacroText::line) return end_line();
  if (found.kind == MacroText::paragraph) return end_paragraph();
  std::vector<std::string> arguments = troff_arguments(rest);
  if (found.kind == MacroText::inlined || found.kind == MacroText::item || found.kind == MacroText::titled) {
    if (found.kind == MacroText::titled) end_paragraph();
    if (found.kind == MacroText::item) end_line();
    return put_line(mdoc_.read(found, arguments), true, grow);
  }
  if (found.kind == MacroText::heading) end_paragraph();
  if (found.kind == MacroText::tag) {
    end_line();
    arguments.resize(std::min<std::size_t>(arguments.size(), 1));
  }
  shown_.clear();
  bool ended = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0 && found.kind != MacroText::joined) shown_ += ' ';
    ended = escapes_.decode(arguments[i], shown_);
  }
  put_line(shown_, ended, grow);
}

void TroffText::put_line(std::string_view text, bool ended, const Grow& grow) {
  grow(text_.size() + text.size() + 1);
  text_.append(std::span(text.data(), text.size()));
  if (ended) end_line();
}

void TroffText::end_line() {
  if (!text_.empty() && text_[text_.size() - 1] != '\n') text_.push_back('\n');
}

void TroffText::end_paragraph() {
  end_line();
  if (text_.size() > 1 && text_[text_.size() - 2] != '\n') text_.push_back('\n');
}

}  // namespace refrain::corpus
