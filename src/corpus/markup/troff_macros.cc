#include "corpus/markup/troff.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace refrain::corpus {

namespace {

// The names have a space on both sides.
struct MacroGroup {
  MacroText kind;
  std::string_view names;
};
constexpr MacroGroup kGroups[] = {
    {MacroText::words, " B I R SM SB CW C BX UL LG UR MT OP SY so nop "},
    {MacroText::joined, " BI BR IB IR RB RI "},
    {MacroText::tag, " IP TQ "},
    {MacroText::heading, " SH SS "},
    {MacroText::paragraph, " PP LP P HP TP QP XP YS NH TL AU AI AB sp Sp Pp Lp "},
    {MacroText::line, " RS RE EX EE KS KE KF DS DE FS FE QS QE AE Vb Ve nf fi br TS TE EQ EN CS CE BS BE VS VE "},
    {MacroText::line, " 1C 2C MC Bl El Bd Ed Rs Re "},
    {MacroText::nothing, " TH PD DT AT UC IX UE ME RP ND DA Dd Dt Os Sm Bk Ek Db Tg Bf Ef "},
    {MacroText::titled, " Sh Ss "},
    {MacroText::item, " It D1 Dl Fd "},
    {MacroText::inlined,
     " Ad An Ap Ar Cd Cm Dv Em Er Ev Ex Fa Fc Fn Fo Fr Ft Ic In Lb Li Lk Ms Mt Nd Nm No Ns Pa Pf Rv "},
    {MacroText::inlined, " St Sx Sy Tn Va Vt Xc Xo Xr %A %B %C %D %I %J %N %O %P %Q %R %T %U %V "},
};

// Macros of mdoc that put text around or before their arguments.
struct Enclosing {
  std::string_view name;
  std::string_view open;
  std::string_view close = {};
};
constexpr Enclosing kEnclosing[] = {
    {"Fl", "-"},       {"Op", "[", "]"},    {"Oq", "[", "]"},   {"Bq", "[", "]"}, {"Pq", "(", ")"},    {"Aq", "<", ">"},
    {"Brq", "{", "}"}, {"Dq", "\"", "\""},  {"Qq", "\"", "\""}, {"Sq", "'", "'"}, {"Ql", "'", "'"},    {"Oo", "["},
    {"Bo", "["},       {"Po", "("},         {"Ao", "<"},        {"Bro", "{"},     {"Qo", "\""},        {"Do", "\""},
    {"So", "'"},       {"Oc", "", "]"},     {"Bc", "", "]"},    {"Pc", "", ")"},  {"Ac", "", ">"},     {"Brc", "", "}"},
    {"Qc", "", "\""},  {"Dc", "", "\""},    {"Sc", "", "'"},    {"Bx", "BSD"},    {"Fx", "FreeBSD"},   {"Nx", "NetBSD"},
    {"Ox", "OpenBSD"}, {"Dx", "DragonFly"}, {"Bsx", "BSD/OS"},  {"Ux", "UNIX"},   {"At", "AT&T UNIX"},
};

std::unordered_map<std::string_view, TroffMacro> macros_by_name() {
  std::unordered_map<std::string_view, TroffMacro> macros;
  for (const Enclosing& row : kEnclosing)
    macros.try_emplace(row.name, TroffMacro{row.name, MacroText::inlined, row.open, row.close});
  for (const MacroGroup& group : kGroups)
    for (std::string_view left = group.names.substr(1); !left.empty(); left.remove_prefix(left.find(' ') + 1)) {
      const std::string_view name = left.substr(0, left.find(' '));
      macros.try_emplace(name, TroffMacro{name, group.kind});
    }
  return macros;
}

// A map, because pages may consist mostly of macros, and each word of a line may be one.
std::optional<TroffMacro> known_macro(std::string_view name) {
  static const std::unordered_map<std::string_view, TroffMacro> kMacros = macros_by_name();
  constexpr std::size_t kMaxMacroBytes = 3;
  if (name.size() > kMaxMacroBytes) return std::nullopt;
  const auto found = kMacros.find(name);
  return found != kMacros.end() ? std::optional(found->second) : std::nullopt;
}

// A macro of mdoc that may occur among the arguments of another.
std::optional<TroffMacro> callable(std::string_view word) {
  const std::optional<TroffMacro> macro = known_macro(word);
  return macro && macro->kind == MacroText::inlined ? macro : std::nullopt;
}

bool is_closing(std::string_view word) {
  constexpr std::string_view kMarks = ".,:;)]?!";
  return word.size() == 1 && kMarks.find(word.front()) != std::string_view::npos;
}

bool is_opening(std::string_view word) {
  return word == "(" || word == "[";
}

}  // namespace

TroffMacro find_macro(std::string_view name) {
  if (const std::optional<TroffMacro> macro = known_macro(name)) return *macro;
  const bool request = std::none_of(name.begin(), name.end(), [](char c) { return 'A' <= c && c <= 'Z'; });
  return {name, request ? MacroText::nothing : MacroText::words};
}

std::vector<std::string> troff_arguments(std::string_view text) {
  std::vector<std::string> arguments;
  const auto skip = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); };
  for (skip(); !text.empty(); skip()) {
    std::string& argument = arguments.emplace_back();
    const bool quoted = text.front() == '"';
    if (quoted) text.remove_prefix(1);
    while (!text.empty() && (quoted || text.front() != ' ')) {
      if (quoted && text.front() == '"') {
        text.remove_prefix(1);
        if (!text.starts_with('"')) break;  // a doubled quote is part of the argument
      }
      // An escaped character, even a space, is part of the argument.
      const std::size_t size = std::min<std::size_t>(text.front() == '\\' ? 2 : 1, text.size());
      argument += text.substr(0, size);
      text.remove_prefix(size);
    }
  }
  return arguments;
}

std::string MdocLine::read(const TroffMacro& macro, const std::vector<std::string>& arguments) {
  text_.clear();
  closings_.clear();
  no_space_ = true;
  std::size_t last = arguments.size();
  while (last > 0 && is_closing(arguments[last - 1])) --last;  // final punctuation goes after the closing text
  std::size_t next = call(macro, arguments, 0);
  while (next < last) {
    const std::string& word = arguments[next++];
    if (const std::optional<TroffMacro> inner = callable(word)) {
      next = call(*inner, arguments, next);
      continue;
    }
    no_space_ = no_space_ || is_closing(word);
    std::string shown(is_closing(word) || is_opening(word) ? std::string_view() : prefix_);
    escapes_.decode(word, shown);
    put(shown);
    no_space_ = is_opening(word);
  }
  text_ += closings_;
  for (; next < arguments.size(); ++next) text_ += arguments[next];
  return text_;
}

// Begins a macro, and takes those of its arguments that it treats specially. Returns the index of the next argument.
std::size_t MdocLine::call(const TroffMacro& macro, const std::vector<std::string>& arguments, std::size_t next) {
  const auto has_word = [&] {
    return next < arguments.size() && !is_closing(arguments[next]) && !callable(arguments[next]);
  };
  const auto taken = [&] {
    std::string word;
    escapes_.decode(arguments[next++], word);
    return word;
  };
  prefix_ = {};
  if (macro.name == "Fl") {
    if (has_word())
      prefix_ = macro.open;
    else
      put(macro.open);
  } else if (macro.name == "Ns") {
    no_space_ = true;
  } else if (macro.name == "Ap") {
    text_ += '\'';
    no_space_ = true;
  } else if (macro.name == "Nm") {
    if (page_name_.empty() && has_word())
      put(page_name_ = taken());
    else if (!has_word() && escapes_.may_add(page_name_.size()))
      put(page_name_);
  } else if (macro.name == "Xr" && has_word()) {
    put(taken());
    if (has_word()) text_ += '(' + taken() + ')';
  } else if ((macro.name == "Fn" || macro.name == "Fo") && has_word()) {
    put(taken() + '(');
    for (bool first = true; has_word(); first = false) text_ += (first ? "" : ", ") + taken();
    if (macro.name == "Fn") text_ += ')';
  } else if (!macro.open.empty()) {
    put(macro.open);
    no_space_ = macro.open.size() == 1;
    closings_.insert(0, macro.close);
  } else {
    text_ += macro.close;
  }
  return next;
}

void MdocLine::put(std::string_view text) {
  if (!no_space_ && !text_.empty()) text_ += ' ';
  text_ += text;
  no_space_ = false;
}

}  // namespace refrain::corpus
