#include "faces/cli/hash_list_program.h"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "faces/cli/process.h"
#include "faces/cli/table/flags.h"
#include "faces/cli/table/numbers.h"
#include "faces/cli/view/terminal.h"
#include "refrain/error.h"
#include "refrain/version.h"

namespace refrain::cli {

namespace {

enum ExitCode {
  kFailed = 1,
  kNoBlocks = 2,
  kNoDistance = 3,
  kMemory = 5,
  kBadBlocks = 6,
  kNoInput = 7,
  kNoOutput = 8,
  kBadLine = 9
};

constexpr unsigned kMaxBlocks = 64;
constexpr unsigned kMaxThreads = 1024;
// Flags without a letter have numbers above those of all letters.
constexpr int kVersionFlag = 256;
constexpr int kMemoryFlag = 257;
constexpr int kThreadsFlag = 258;

// A reason to exit that is not an Error of the verb: an exit code of simhash-cpp, and a message.
struct Refusal {
  int code;
  std::string message;
};

// Parses a whole number above 0. A huge number is reduced to one that is still above every limit. Returns nullopt for
// anything else.
std::optional<unsigned> positive(const char* text) {
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number || *number == 0) return std::nullopt;
  return static_cast<unsigned>(std::min<std::uint64_t>(*number, 1'000'000));
}

std::string help_text(std::string_view name, std::string_view summary) {
  return fmt::format(
      "Usage: {0} -b N -d BITS [-i FILE] [-o FILE]\n"
      "\n"
      "{1}.\n"
      "A hash is an unsigned 64-bit decimal number, one per line; repeats count once.\n"
      "\n"
      "  -b, --blocks N       blocks in the join, above the distance, at most {2};\n"
      "                       changes the speed, never the result [required]\n"
      "  -d, --distance BITS  maximum number of differing bits, at least 1 [required]\n"
      "  -i, --input FILE     file of hashes, or - for standard input [-]\n"
      "  -o, --output FILE    file for the results, or - for standard output [-]\n"
      "  --memory SIZE        memory limit, e.g. 2G, at least 64M [half of the RAM]\n"
      "  --threads N          number of threads [one per core]\n"
      "  -h, --help           print help and exit\n"
      "  --version            print the version and exit\n"
      "\n"
      "Exit codes: 0 done, 1 unknown flag or failure, 2 no blocks, 3 no distance, 5 not\n"
      "enough memory or disk, 6 blocks not above distance or too many tables, 7 cannot\n"
      "read the input, 8 cannot write the output, 9 not a hash on a line, 130\n"
      "interrupted\n"
      "\n"
      "Examples:\n"
      "  printf '255\\n"
      "239\\n"
      "238\\n"
      "206\\n"
      "51\\n"
      "' | {0} -b 6 -d 3\n"
      "  seq 1000 > hashes.txt && {0} -b 4 -d 1 -i hashes.txt\n",
      name, summary, kMaxBlocks);
}

// Parses the command line into options, and into the memory and threads of `context`. Returns nullopt if help or the
// version was requested, after printing it.
std::optional<HashListOptions> read_flags(int argc, char** argv, std::string_view name, std::string_view summary,
                                          Context& context) {
  const option long_flags[] = {{"blocks", required_argument, nullptr, 'b'},
                               {"distance", required_argument, nullptr, 'd'},
                               {"input", required_argument, nullptr, 'i'},
                               {"output", required_argument, nullptr, 'o'},
                               {"memory", required_argument, nullptr, kMemoryFlag},
                               {"threads", required_argument, nullptr, kThreadsFlag},
                               {"help", no_argument, nullptr, 'h'},
                               {"version", no_argument, nullptr, kVersionFlag},
                               {nullptr, 0, nullptr, 0}};
  HashListOptions options;
  std::optional<unsigned> blocks;
  std::optional<unsigned> distance;
  StandardOutput out;
  opterr = 0;
  while (true) {
    const int at = optind;
    const int flag = ::getopt_long(argc, argv, ":b:d:i:o:h", long_flags, nullptr);
    if (flag == -1) break;
    switch (flag) {
      case 'b':
        blocks = positive(optarg);
        if (!blocks) throw Refusal{kNoBlocks, fmt::format("--blocks: '{}' is not a whole number above 0", optarg)};
        break;
      case 'd':
        distance = positive(optarg);
        if (!distance)
          throw Refusal{kNoDistance, fmt::format("--distance: '{}' is not a whole number above 0", optarg)};
        break;
      case 'i':
        options.input = optarg;
        break;
      case 'o':
        options.output = optarg;
        break;
      case kMemoryFlag: {
        const std::optional<std::uint64_t> size = parse_size(optarg);
        if (!size || *size < kMinMemoryBytes)
          throw Refusal{kFailed, "--memory: must be a size of at least 64M, e.g. 512M or 2G"};
        context.memory_bytes = *size;
        break;
      }
      case kThreadsFlag: {
        const std::optional<unsigned> threads = positive(optarg);
        if (!threads || *threads > kMaxThreads)
          throw Refusal{kFailed, "--threads: must be a whole number from 1 to 1024"};
        context.threads = *threads;
        break;
      }
      case 'h':
        out.write(help_text(name, summary));
        out.flush();
        return std::nullopt;
      case kVersionFlag:
        out.write(fmt::format("{} {}\n", name, kVersion));
        out.flush();
        return std::nullopt;
      case ':': {
        const int code = optopt == 'b' ? kNoBlocks : optopt == 'd' ? kNoDistance : kFailed;
        throw Refusal{code, fmt::format("'{}' needs a value", argv[optind - 1])};
      }
      default:
        throw Refusal{kFailed, fmt::format("unknown flag '{}'; see --help", argv[at])};
    }
  }
  if (optind < argc)
    throw Refusal{kFailed, fmt::format("unexpected argument '{}'; name the input with -i", argv[optind])};
  if (!blocks) throw Refusal{kNoBlocks, "--blocks is missing"};
  if (!distance) throw Refusal{kNoDistance, "--distance is missing"};
  if (*blocks <= *distance) {
    throw Refusal{kBadBlocks, fmt::format("--blocks {} must be above --distance {}", *blocks, *distance)};
  }
  if (*blocks > kMaxBlocks) throw Refusal{kBadBlocks, fmt::format("--blocks: must be at most {}", kMaxBlocks)};
  options.blocks = *blocks;
  options.distance = *distance;
  return options;
}

int code_of(const Error& error) {
  switch (error.code()) {
    case Errc::invalid_argument:
      return kBadBlocks;
    case Errc::not_found:
      return kNoInput;
    case Errc::bad_input:
      return kBadLine;
    case Errc::over_budget:
      return kMemory;
    case Errc::interrupted:
      return kExitInterrupted;
    case Errc::io:
      return kNoOutput;
    default:
      return kFailed;
  }
}

}  // namespace

int run_hash_list(int argc, char** argv, std::string_view name, std::string_view summary, const HashListVerb& verb) {
  const auto complain = [name](std::string_view message) {
    write_error(fmt::format("{}: {}\n", name, printable(message, true)));
  };
  try {
    prepare_process();
    Context context;
    const std::optional<HashListOptions> options = read_flags(argc, argv, name, summary, context);
    if (!options) return 0;
    prepare_memory(context);
    const SignalWatcher watcher{std::string(name)};
    context.stop = watcher.token();
    verb(*options, context);
    return 0;
  } catch (const Refusal& refusal) {
    complain(refusal.message);
    return refusal.code;
  } catch (const Error& error) {
    if (!is_broken_pipe(error)) complain(in_flags(error));
    return code_of(error);
  } catch (const std::bad_alloc&) {
    complain("out of memory");
    return kMemory;
  } catch (const std::exception& error) {
    complain(error.what());
    return kFailed;
  }
}

}  // namespace refrain::cli
