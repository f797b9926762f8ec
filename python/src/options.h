// Keyword arguments, spelled as the program's flags, as the options of the library.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "names.h"
#include "refrain/dedup.h"
#include "refrain/index.h"
#include "refrain/near.h"
#include "refrain/ngrams.h"
#include "refrain/substrings.h"

namespace refrain::python {

// Reads arguments by name, and knows at the end which nobody asked for.
class Arguments {
 public:
  // What the functions of this module take: {"threshold": 0.8, ...}; None means the default.
  explicit Arguments(nanobind::dict given) : given_(std::move(given)) {}

  // None where it was not given.
  nanobind::object take(const char* name);
  // False, and `into` as it was, where it was not given.
  template <class T>
  bool read(const char* name, T& into) {
    const nanobind::object value = take(name);
    if (value.is_none()) return false;
    if (!nanobind::try_cast<T>(value, into)) refuse(name, value);
    return true;
  }
  bool read_size(const char* name, std::uint64_t& into);
  template <class Enum>
  bool read_name(const char* name, const std::vector<std::string_view>& names, Enum& into) {
    std::string text;
    if (!read(name, text)) return false;
    into = named<Enum>(flag(name), text, names);
    return true;
  }
  // A bool, or one of two words for true and false.
  bool read_switch(const char* name, std::string_view on, std::string_view off, bool& into);
  bool given(const char* name) const;

  // TypeError for an argument that is none of this function's.
  void finish(std::string_view function) const;
  // "--max-doc-bytes"
  static std::string flag(std::string_view name);

 private:
  [[noreturn]] static void refuse(const char* name, nanobind::handle value);

  nanobind::dict given_;
  std::set<std::string, std::less<>> known_;
};

CallSettings call_settings(Arguments& arguments);
// Paths and all that is said of files; or documents in memory, with the limits that hold for those, too.
InputOptions input_options(Arguments& arguments, nanobind::handle input, HtmlPart html = HtmlPart::text);
// Ids that were found in the files, where none are named: as the program does.
void find_ids(InputOptions& input, const Context& context);

FingerprintOptions fingerprint_options(Arguments& arguments);
NearOptions near_options(Arguments& arguments, nanobind::handle input);
DedupOptions dedup_options(Arguments& arguments, nanobind::handle input);
SubstringsOptions substrings_options(Arguments& arguments, nanobind::handle input);
NgramsOptions ngrams_options(Arguments& arguments, nanobind::handle input);
IndexLayout index_layout(Arguments& arguments);
PassageLimits passage_limits(Arguments& arguments);

}  // namespace refrain::python
