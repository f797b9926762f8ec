#include "refrain/input.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/budget.h"
#include "base/threads.h"
#include "corpus/files/walk.h"
#include "corpus/formats/recognize.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"

namespace refrain {

namespace {

using corpus::FieldKind;
using corpus::Input;

constexpr std::size_t kMostFiles = 200'000;
constexpr std::size_t kExaminedFiles = 16;
constexpr std::size_t kExaminedRecords = 1000;  // of each file
const std::vector<std::string> kIdFields = {"id", "url", "doc_id"};

std::string kind_name(const Input& input) {
  const std::string_view path = corpus::without_packing(input.path);
  if (input.format->storage == corpus::Storage::column && !path.ends_with(".parquet") && !path.ends_with(".pq"))
    return "Arrow";
  if (input.format->storage != corpus::Storage::file) return std::string(input.format->title);
  if (corpus::is_archive_name(input.path)) return "archives";
  return corpus::is_page_name(path) ? "HTML" : std::string(input.format->title);
}

std::string packing_of(std::string_view path) {
  const std::size_t plain = corpus::without_packing(path).size();
  const std::string_view ending = path.substr(plain);
  if (ending.empty()) return {};
  if (ending.starts_with(".z")) return "zstd";
  return ending == ".gz" ? "gzip" : ending == ".bz2" ? "bzip2" : std::string(ending.substr(1));
}

// Thrown to end a reading early.
struct StopReading {};

// Looks for the fields of kIdFields that have a unique value in every record.
class IdSearch {
 public:
  IdSearch() { usable_.fill(true); }

  // Examines the first records of a file.
  void look_at(const InputOptions& options, const Input& input, const Context& context, MemoryBudget& budget) {
    corpus::SourceOptions one = options;
    one.paths = {input.path};
    one.format = input.format->id;
    one.extra_fields = kIdFields;
    one.strict = false;
    Context alone = context;
    alone.threads = 1;
    alone.progress = nullptr;
    std::size_t records = 0;
    const auto look = [&](unsigned /*worker*/, corpus::Batch& batch) -> corpus::InOrder {
      for (std::size_t i = 0; i < batch.texts.size(); ++i) {
        if (batch.bad[i] == 0) take(batch.fields, i);
        if (++records == kExaminedRecords || std::ranges::none_of(usable_, std::identity())) throw StopReading();
      }
      return nullptr;
    };
    try {
      corpus::read_documents(one, alone, budget, look, {.all_may_be_bad = true});
    } catch (const StopReading&) {
      // The rest of the file is not needed.
    } catch (const Error& error) {
      if (error.code() == Errc::interrupted) throw;  // other errors are reported when the file is read
    }
    any_ = any_ || records > 0;
  }

  // The name of the field; empty if there is none.
  std::string found() const {
    for (std::size_t i = 0; i < usable_.size() && any_; ++i)
      if (usable_[i]) return kIdFields[i];
    return {};
  }

 private:
  void take(const corpus::BatchFields& fields, std::size_t record) {
    for (std::size_t field = 0; field < usable_.size(); ++field) {
      const FieldKind kind = fields.kind(record, field);
      const std::string_view value = fields.value(record, field);
      const bool whole = value.find_first_of(".eE") == std::string_view::npos;
      const bool fits = (kind == FieldKind::string && !value.empty()) || (kind == FieldKind::number && whole);
      usable_[field] = usable_[field] && fits && values_[field].emplace(value).second;
    }
  }

  std::array<bool, 3> usable_{};
  std::array<std::set<std::string, std::less<>>, 3> values_;
  bool any_ = false;
};

}  // namespace

InputSurvey survey_input(const InputOptions& options, const Context& context) {
  InputSurvey survey;
  if (options.documents || std::ranges::find(options.paths, "-") != options.paths.end()) return survey;
  MemoryBudget budget(context);
  const corpus::SourceOptions source = options;
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts;
  IdSearch ids;
  std::size_t looked_at = 0;
  corpus::Walk walk(source, budget);
  for (Input input; walk.next(input);) {
    throw_if_stopped(context);
    if (!input.failure.empty() || (input.size == 0 && input.named)) continue;  // a pipe must not be touched
    if (survey.files == kMostFiles) {
      survey.all = false;
      break;
    }
    ++survey.files;
    ++counts[{kind_name(input), packing_of(input.path)}];
    if (!input.format->has_fields() || input.size == 0) continue;
    survey.records = true;
    if (!options.id_field.empty() || looked_at == kExaminedFiles) continue;
    ++looked_at;
    ids.look_at(options, input, context, budget);
  }
  for (const auto& [kind, files] : counts) survey.kinds.push_back({kind.first, kind.second, files});
  std::ranges::stable_sort(survey.kinds, std::ranges::greater(), &InputSurvey::Kind::files);
  survey.id_field = ids.found();
  return survey;
}

}  // namespace refrain
