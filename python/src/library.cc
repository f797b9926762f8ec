// The library of documents that were kept before. Reports are JSON.
#include "refrain/library.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "arrow/export.h"
#include "bindings.h"
#include "documents.h"
#include "options.h"
#include "refrain/error.h"
#include "refrain/report_json.h"
#include "refrain/seen.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

// A library that is kept open. Thread-safe.
class OpenLibrary {
 public:
  OpenLibrary(const std::filesystem::path& folder, bool add, nb::dict given) {
    Arguments arguments(std::move(given));
    SeenOptions options{.library = folder, .add = add};
    arguments.read("trust_signatures", options.trust_signatures);
    options.log = [events = events_](std::string_view line) {
      const std::lock_guard lock(events->mutex);
      events->lines.emplace_back(line);
    };
    const CallSettings settings = call_settings(arguments);
    arguments.finish("Library");
    seen_ = call(settings, [&](const Context& context) { return std::make_shared<Seen>(options, context); });
  }
  ~OpenLibrary() { close(); }
  OpenLibrary(const OpenLibrary&) = delete;
  OpenLibrary& operator=(const OpenLibrary&) = delete;

  void close() {
    const nb::gil_scoped_release released;  // what was added becomes a segment
    seen_.reset();
  }

  // Returns the answers: one row per document, null where the text is.
  Column seen(const Documents& documents, bool add) {
    const std::shared_ptr<Seen> seen = seen_;  // close() may be called meanwhile
    if (!seen) throw Error(Errc::invalid_argument, "the library is closed");
    const std::shared_ptr<DocumentStream> stream = documents.stream();
    Answers answers;
    call({}, [&](const Context& context) {
      for (DocumentBatch batch; stream->next(batch);) answer(*seen, batch, add, context, answers);
      return true;
    });
    return std::move(answers).columns(documents);
  }

  // Messages about events in the background since the last call.
  std::vector<std::string> events() {
    const std::lock_guard lock(events_->mutex);
    return std::exchange(events_->lines, {});
  }

 private:
  struct Answers {
    std::vector<std::uint8_t> has_text, has_match, verified, added;
    std::vector<double> similarities;
    TextBuilder statuses, matches;

    void add(const SeenAnswer* answer) {
      has_text.push_back(answer != nullptr ? 1 : 0);
      has_match.push_back(answer != nullptr && !answer->match.empty() ? 1 : 0);
      verified.push_back(has_match.back() != 0 && answer->verified ? 1 : 0);
      added.push_back(answer != nullptr && answer->added ? 1 : 0);
      similarities.push_back(answer != nullptr ? answer->similarity : 0);
      statuses.add(answer != nullptr ? seen_status_name(answer->status) : "");
      matches.add(answer != nullptr ? std::string_view(answer->match) : "");
    }
    Column columns(const Documents& documents) && {
      std::vector<std::int64_t> places(has_text.size());
      std::iota(places.begin(), places.end(), 0);
      return table({documents.ids_at(places).named("id"), std::move(statuses).column(has_text).named("status"),
                    std::move(matches).column(has_match).named("match"),
                    number_column(std::move(similarities), has_match).named("similarity"),
                    flag_column(verified).named("verified"), flag_column(added).named("added")});
    }
  };

  static void answer(Seen& seen, const DocumentBatch& batch, bool add, const Context& context, Answers& answers) {
    std::vector<SeenDocument> asked;
    for (std::size_t i = 0; i < batch.text.size(); ++i)
      if (batch.text.valid(i))
        asked.push_back({.id = batch.ids ? (*batch.ids)[i] : std::string_view(), .text = batch.text[i]});
    const std::vector<SeenAnswer> all = seen.seen(asked, context.stop, add);
    auto next = all.begin();
    for (std::size_t i = 0; i < batch.text.size(); ++i) answers.add(batch.text.valid(i) ? &*next++ : nullptr);
  }

  struct Events {
    std::mutex mutex;
    std::vector<std::string> lines;
  };
  const std::shared_ptr<Events> events_ = std::make_shared<Events>();
  std::shared_ptr<Seen> seen_;
};

using Strings = std::vector<std::string>;

std::string remove_documents(const std::filesystem::path& folder, const Strings& ids, const Strings& sources,
                             const nb::object& memory) {
  return call({.memory = memory}, [&](const Context& context) {
    return to_json(library_remove(folder, {.ids = ids, .sources = sources}, context), "library remove");
  });
}

std::string merge_segments(const std::filesystem::path& folder, const nb::object& memory) {
  return call({.memory = memory},
              [&](const Context& context) { return to_json(library_merge(folder, context), "library merge"); });
}

std::string check_library(const std::filesystem::path& folder, bool repair, const nb::object& memory) {
  return call({.memory = memory},
              [&](const Context& context) { return to_json(library_check(folder, context, repair)); });
}

// Returns lines of JSON.
std::string all_documents(const std::filesystem::path& folder, const nb::object& memory) {
  std::string rows;
  call({.memory = memory}, [&](const Context& context) {
    return library_export(folder, context, [&](const LibraryDocument& row) { rows += to_json(row); });
  });
  return rows;
}

}  // namespace

void bind_library(nb::module_& module) {
  nb::class_<OpenLibrary>(module, "OpenLibrary")
      .def(nb::init<std::filesystem::path, bool, nb::dict>(), "folder"_a, "add"_a, "options"_a)
      .def("seen", &OpenLibrary::seen, "documents"_a, "add"_a)
      .def("events", &OpenLibrary::events)
      .def("close", &OpenLibrary::close);
  module.def("library_remove", remove_documents, "folder"_a, "ids"_a, "sources"_a, "memory"_a = nb::none());
  module.def("library_merge", merge_segments, "folder"_a, "memory"_a = nb::none());
  module.def("library_check", check_library, "folder"_a, "repair"_a = false, "memory"_a = nb::none());
  module.def(
      "library_stats", [](const std::filesystem::path& folder) { return to_json(library_stats(folder)); }, "folder"_a);
  module.def("library_documents", all_documents, "folder"_a, "memory"_a = nb::none());
}

}  // namespace refrain::python
