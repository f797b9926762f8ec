#include "faces/cli/view/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace refrain::cli {

namespace {

constexpr int kCannotRun = 126;  // the shell's exit code for this, and the next one for a program that is not there

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// A file without a name that holds `text`, to be read from its beginning; -1 where the system gives none.
Descriptor file_of(std::string_view text) {
  Descriptor file(::memfd_create("refrain-man", MFD_CLOEXEC));
  while (file.get() >= 0 && !text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Descriptor();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file.get() >= 0 && ::lseek(file.get(), 0, SEEK_SET) != 0) return Descriptor();
  return file;
}

// This program's environment, with some settings where they are not there yet.
class Environment {
 public:
  explicit Environment(const std::vector<std::pair<std::string, std::string>>& defaults) {
    for (char** one = environ; *one != nullptr; ++one) settings_.emplace_back(*one);
    for (const auto& [name, value] : defaults)
      // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
      if (std::getenv(name.c_str()) == nullptr) settings_.push_back(fmt::format("{}={}", name, value));
    for (std::string& setting : settings_) pointers_.push_back(setting.data());
    pointers_.push_back(nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> settings_;
  std::vector<char*> pointers_;
};

// Starts a program with these as standard input and output and, if `quiet` is set, without standard error. Its signals
// are reset to their defaults, because this program ignores broken pipes.
std::optional<pid_t> start(std::vector<std::string> words, int input, int output, bool quiet,
                           const Environment& settings) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (::posix_spawn_file_actions_init(&files) != 0) return std::nullopt;
  if (::posix_spawnattr_init(&attributes) != 0) {
    ::posix_spawn_file_actions_destroy(&files);
    return std::nullopt;
  }
  sigset_t defaults;
  ::sigemptyset(&defaults);
  for (const int number : {SIGPIPE, SIGINT, SIGQUIT}) ::sigaddset(&defaults, number);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = -1;
  const bool ready =
      ::posix_spawnattr_setsigdefault(&attributes, &defaults) == 0 &&
      ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) == 0 &&
      ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO) == 0 &&
      ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO) == 0 &&
      (!quiet || ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0);
  const bool started =
      ready && ::posix_spawnp(&process, arguments.front(), &files, &attributes, arguments.data(), settings.get()) == 0;
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return started ? std::optional(process) : std::nullopt;
}

// The exit code of a program; kCannotRun where a signal ended it.
int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return kCannotRun;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kCannotRun;
}

std::string read_all(int fd) {
  std::string text;
  char chunk[1 << 14];
  while (true) {
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got > 0) text.append(chunk, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

// Returns the page as a program formats it. Returns nothing if the program is missing or fails, or only says that there
// are no manuals here, as `man` does on a system without them.
std::optional<std::string> formatted(const std::string& page, const std::vector<std::string>& command,
                                     const Environment& settings) {
  const Descriptor input = file_of(page);
  int ends[2];
  if (input.get() < 0 || ::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const std::optional<pid_t> process = start(command, input.get(), to.get(), true, settings);
  to.close();
  if (!process) return std::nullopt;
  std::string text = read_all(from.get());
  return wait_for(*process) == 0 && text.size() > page.size() / 2 ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::string> formatted(const std::string& page) {
  const std::string columns = std::to_string(terminal_columns(STDOUT_FILENO));
  const std::string width = fmt::format("-rLL={}n", columns);
  const std::string device = look_of(STDOUT_FILENO).utf8 ? "-Tutf8" : "-Tascii";
  // Bold and underlined text stays, though a program reads it.
  const Environment settings({{"MANWIDTH", columns}, {"MAN_KEEP_FORMATTING", "1"}});
  for (const std::vector<std::string>& command : {std::vector<std::string>{"man", "-l", "-"},
                                                  {"mandoc", fmt::format("-Owidth={}", columns)},
                                                  {"groff", "-man", device, width},
                                                  {"nroff", "-man", device, width}})
    if (std::optional<std::string> text = formatted(page, command, settings)) return text;
  return std::nullopt;
}

// A reader who interrupts the pager ends it alone.
class InterruptsIgnored {
 public:
  InterruptsIgnored() : interrupt_(::signal(SIGINT, SIG_IGN)), quit_(::signal(SIGQUIT, SIG_IGN)) {}
  InterruptsIgnored(const InterruptsIgnored&) = delete;
  InterruptsIgnored& operator=(const InterruptsIgnored&) = delete;
  ~InterruptsIgnored() {
    ::signal(SIGINT, interrupt_);
    ::signal(SIGQUIT, quit_);
  }

 private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

// False where a pager could not be run.
bool page_through(const std::string& text, const std::string& pager) {
  const Descriptor input = file_of(text);
  if (input.get() < 0) return false;
  const InterruptsIgnored reading;
  const Environment settings({{"LESS", "R"}, {"LV", "-c"}});
  const std::optional<pid_t> process = start({"/bin/sh", "-c", pager}, input.get(), STDOUT_FILENO, false, settings);
  return process && wait_for(*process) < kCannotRun;
}

}  // namespace

bool show_page(const std::string& page) {
  const std::optional<std::string> text = formatted(page);
  if (!text) return false;
  for (const char* const name : {"MANPAGER", "PAGER"}) {
    const char* const pager = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    if (pager != nullptr && *pager != '\0' && page_through(*text, pager)) return true;
  }
  for (const char* const pager : {"exec less 2>/dev/null", "exec more 2>/dev/null"})
    if (page_through(*text, pager)) return true;
  StandardOutput out;
  out.write(*text);
  out.flush();
  return true;
}

}  // namespace refrain::cli
