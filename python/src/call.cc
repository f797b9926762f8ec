#include "call.h"

#include <nanobind/stl/string.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "refrain/error.h"
#include "refrain/options.h"

namespace nb = nanobind;

namespace refrain::python {

namespace {

constexpr auto kPause = std::chrono::milliseconds(50);

struct ProgressState {
  std::string stage;
  std::string unit;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  double share = 0;
};

// Passes progress and the end of the work from the working thread to the waiting one. Thread-safe.
class WorkerState {
 public:
  void tell(const ProgressUpdate& update) {
    const std::lock_guard lock(mutex_);
    const bool staged = update.run.stages != 0;
    said_ = ProgressState{std::string(staged ? update.run.stage : update.stage), std::string(update.unit), update.done,
                          update.total, staged ? update.run.share : -1};
  }
  void finish(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    finished_ = true;
    changed_.notify_one();
  }
  // Waits for at most kPause. Returns true once the work is finished.
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPause, [&] { return finished_; });
  }
  std::optional<ProgressState> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(said_, std::nullopt);
  }
  std::exception_ptr failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ProgressState> said_;
  std::exception_ptr failure_;
  bool finished_ = false;
};

void report(const nb::object& progress, WorkerState& news) {
  if (progress.is_none()) return;
  if (const auto said = news.take()) progress(said->stage, said->unit, said->done, said->total, said->share);
}

// Handles signals and reports progress until the work is done. Throws what a signal handler or the callback raised.
void wait_for_worker(const nb::object& progress, WorkerState& news) {
  for (;;) {
    bool finished = false;
    {
      const nb::gil_scoped_release released;
      finished = news.wait();
    }
    if (finished) return report(progress, news);
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    report(progress, news);
  }
}

// Tells a display of progress that the call is over. Its exceptions do not matter any more.
void close_display(const nb::object& progress, bool finished) {
  if (progress.is_none() || !nb::hasattr(progress, "close")) return;
  try {
    progress.attr("close")(finished);
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("pyrefrain: the end of progress");
  }
}

constexpr const char* kClasses[] = {"InvalidArgument", "NotFound", "BadInput", "Corrupt",     "Unsupported",
                                    "OverBudget",      "IoError",  "Busy",     "Interrupted", "InvalidArgument"};

// Empty if the table has no such option.
template <class Options>
std::string_view keyword_in(std::string_view option) {
  for (const Option<Options>& row : option_table<Options>())
    if (row.info.name == option) return row.info.keyword();
  return {};
}

}  // namespace

std::string argument_of(std::string_view option) {
  for (const std::string_view keyword :
       {keyword_in<InputOptions>(option), keyword_in<DedupOptions>(option), keyword_in<QueryOptions>(option)})
    if (!keyword.empty()) return std::string(keyword);
  return std::string(option);
}

std::uint64_t parse_size(nb::handle size, const char* option) {
  if (size.is_none()) return 0;
  if (PyLong_Check(size.ptr()) != 0) {
    const std::uint64_t bytes = PyLong_AsUnsignedLongLong(size.ptr());
    if (PyErr_Occurred() == nullptr) return bytes;
    PyErr_Clear();
  } else if (PyUnicode_Check(size.ptr()) != 0) {
    const std::string text = nb::cast<std::string>(size);
    double number = -1;  // std::from_chars() ignores the locale
    const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto used = static_cast<std::size_t>(behind - text.data());
    const std::string_view units = "KMGT";
    const std::size_t unit = used + 1 == text.size() ? units.find(text[used]) : std::string_view::npos;
    if (error == std::errc() && number >= 0 && number < 1e15 && (used == text.size() || unit != std::string_view::npos))
      return static_cast<std::uint64_t>(number * (used == text.size() ? 1 : std::exp2(10.0 * double(unit + 1))));
  }
  throw Error(Errc::invalid_argument, std::string(option) + ": expected bytes, such as 1000000000 or \"512M\"");
}

void run(const CallSettings& settings, const std::function<void(const Context&)>& work) {
  WorkerState news;
  std::stop_source stop;
  Context context{.memory_bytes = parse_size(settings.memory, "`memory`"),
                  .threads = settings.threads,
                  .temp_dir = settings.temp_dir,
                  .stop = stop.get_token(),
                  .spell = argument_of};
  if (!settings.progress.is_none()) context.progress = [&news](const ProgressUpdate& update) { news.tell(update); };
  std::thread worker([&] {
    try {
      work(context);
      news.finish(nullptr);
    } catch (...) {
      news.finish(std::current_exception());
    }
  });
  const auto join = [&] {
    const nb::gil_scoped_release released;
    worker.join();
  };
  try {
    wait_for_worker(settings.progress, news);
  } catch (...) {
    stop.request_stop();
    join();
    close_display(settings.progress, false);
    throw;
  }
  join();
  close_display(settings.progress, news.failure() == nullptr);
  if (news.failure()) std::rethrow_exception(news.failure());
}

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const auto code = static_cast<std::size_t>(error.code());
      const nb::object type = nb::module_::import_("pyrefrain.errors").attr(kClasses[code]);
      const nb::object made = type(error.spelled(argument_of));
      made.attr("option") = argument_of(error.option());
      PyErr_SetObject(type.ptr(), made.ptr());
    }
  });
}

std::size_t index_of_name(std::string_view option, std::string_view name, const std::vector<std::string_view>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
    all += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw Error(Errc::invalid_argument,
              std::string(option) + ": there is no '" + std::string(name) + "'; choose from " + all);
}

TokenizerKind tokenizer_named(std::string_view name) {
  return with_comments(named<TokenizerKind>("`tokenizer`", name, tokenizer_choices()), false);
}
HashKind hash_named(std::string_view name) {
  return named<HashKind>("`hash`", name, hash_names());
}

}  // namespace refrain::python
