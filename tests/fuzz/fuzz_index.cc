// Changes one file of a small, valid index, under correct checksums, so that the checks behind them are tested. Every
// request is answered or is an Error.
//
// The input: a byte that selects the file, the request, and one of two ways of changing; then the new tail and stream
// of the file, or patches of the old ones, each an offset (2 bytes) and a byte. For the manifest: all lines except
// the last.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/files/temp.h"
#include "base/hash.h"
#include "engines/blot/format.h"
#include "engines/blot/manifest.h"
#include "patch.h"
#include "refrain/error.h"
#include "require.h"
#include "store/page_file.h"
#include "verbs/index/blots.h"
#include "verbs/index/extract/extract.h"
#include "verbs/index/query/query.h"
#include "verbs/index/read/snapshot.h"

namespace {

using namespace refrain;
namespace fs = std::filesystem;

constexpr std::size_t kDocumentsTail = 64;
constexpr std::size_t kPostsTail = 72;
constexpr std::size_t kCountTail = 8;

class CheckingSink : public PassageSink {
 public:
  void begin(const PassageHead& /*head*/) override {}
  void occurrence(const Occurrence& occurrence) override { REQUIRE(occurrence.bytes.begin <= occurrence.bytes.end); }
  void end() override {}
};

struct File {
  fs::path path;
  std::string magic;
  std::size_t tail_bytes;
  std::string tail;
  std::string stream;  // without magic and version
};

Context context() {
  return {.memory_bytes = std::uint64_t{96} << 20U, .threads = 1};
}

// Documents that are files, parts of files, parts with escapes in their JSON, and stored texts; some are removed.
class World {
 public:
  World() {
    fs::create_directory(folder_.path() / "in");
    std::string lines;
    std::string json;
    for (int i = 0; i < 12; ++i) {
      const std::string text = some_words(i, 40);
      std::ofstream(folder_.path() / "in" / std::to_string(i)) << text;
      lines += some_words(i + 20, 30) + "\n";
      json +=
          "{\"id\": \"j" + std::to_string(i) + "\", \"text\": \"" + some_words(i + 40, i == 3 ? 600 : 30) + "\\n\"}\n";
    }
    std::ofstream(folder_.path() / "in.txt") << lines;
    std::ofstream(folder_.path() / "in.jsonl") << json;
    IndexCreateOptions options;
    options.index = index();
    options.input.paths = {(folder_.path() / "in").string()};
    options.layout.shards = 2;
    options.layout.blot_bits = 20;
    create_index(options, context());
    Index made(index());
    IndexAddOptions more;
    more.input.paths = {(folder_.path() / "in.txt").string()};
    more.input.format = Format::lines;
    made.add(more, context());
    more.input.paths = {(folder_.path() / "in.jsonl").string()};
    more.input.format = Format::jsonl;
    more.input.id_field = "id";
    made.add(more, context());
    made.merge(context());
    made.add({{"kept", some_words(3, 300)}, {"also", some_words(40, 40)}, {"gone", some_words(5, 20)}}, false,
             context());
    made.merge(context());
    made.remove({"gone", "j5", "0"}, context());
    manifest_ = blot::read_manifest(index());
    REQUIRE(manifest_.segments.size() == 1);
    const blot::SegmentInfo& segment = manifest_.segments.front();
    const fs::path at = store::segment_path(index(), segment.number);
    files_ = {{at / blot::kBlotDocumentsName, blot::kBlotDocumentsMagic, kDocumentsTail, {}, {}},
              {at / "posts-00.bin", blot::kBlotPostsMagic, kPostsTail, {}, {}},
              {at / "posts-01.bin", blot::kBlotPostsMagic, kPostsTail, {}, {}},
              {at / blot::kBlotTextsName, blot::kBlotTextsMagic, kCountTail, {}, {}},
              {store::removed_path(index(), segment.number, segment.removed_generation),
               blot::kBlotRemovedMagic,
               kCountTail,
               {},
               {}}};
    for (File& file : files_) {
      store::PageReader reader(file.path.string(), file.magic, blot::kBlotFormatVersion);
      file.tail = reader.tail().substr(0, file.tail_bytes);
      std::string scratch;
      file.stream = reader.read(store::PageReader::kBegin, reader.size() - store::PageReader::kBegin, scratch);
    }
    lines_ = blot::to_text(manifest_);
    lines_.resize(lines_.rfind("checksum "));
  }

  fs::path index() const { return folder_.path() / "index"; }
  const std::string& question() const { return question_; }
  const std::string& lines() const { return lines_; }
  std::vector<File>& files() { return files_; }

  void write_lines(const std::string& lines) const {
    char sum[32];
    std::snprintf(sum, sizeof sum, "checksum %016llx\n", static_cast<unsigned long long>(checksum(lines)));
    std::ofstream(index() / store::kManifestName) << lines << sum;
  }

  // Replaces a file, and updates the manifest.
  void write(std::size_t which, std::string_view tail, std::string_view stream) {
    const File& file = files_[which];
    std::string whole_tail(tail);
    whole_tail.resize(file.tail_bytes);
    fs::remove(file.path);  // other readers may still have it open
    store::PageWriter out(file.path.string(), file.magic, blot::kBlotFormatVersion);
    out.write(stream);
    const store::PageFileId id = out.finish(whole_tail);
    blot::Manifest manifest = manifest_;
    blot::SegmentInfo& segment = manifest.segments.front();
    std::vector<std::uint64_t> numbers(file.tail_bytes / sizeof(std::uint64_t));
    std::memcpy(numbers.data(), whole_tail.data(), whole_tail.size());
    switch (which) {
      case 0:
        segment.documents_file = id;
        segment.documents = numbers[0];
        segment.tokens = numbers[1];
        segment.blocks = numbers[2];
        segment.text_bytes = numbers[3];
        break;
      case 1:
      case 2:
        segment.posts_files[which - 1] = id;
        break;
      case 3:
        segment.texts_file = id;
        break;
      default:
        segment.removed_file = id;
        segment.removed = numbers[0];
    }
    std::string lines = blot::to_text(manifest);
    lines.resize(lines.rfind("checksum "));
    write_lines(lines);
  }
  // Restores the original state.
  void restore(std::size_t which) {
    if (which < files_.size()) write(which, files_[which].tail, files_[which].stream);
    write_lines(lines_);
  }

 private:
  static std::string some_words(int seed, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i == 0 ? "w" : " w") + std::to_string((seed * 7 + i) % 90);
    return text;
  }

  const TempDir folder_{fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(), "refrain-fuzz"};
  blot::Manifest manifest_;
  std::string lines_;
  std::vector<File> files_;
  const std::string question_ = some_words(2, 60);
};

template <class Work>
bool attempt(Work work) {
  try {
    work();
    return true;
  } catch (const Error&) {
    return false;
  }
}

void ask_documents(verbs::index::Snapshot& snapshot) {
  for (DocId i = 0; i < snapshot.documents(); ++i) {
    attempt([&] { snapshot.removed(i); });
    attempt([&] { snapshot.find(snapshot.id(i)); });
    attempt([&] { snapshot.text(i); });
    attempt([&] { snapshot.piece(i, snapshot.tokens(i) / 2, snapshot.tokens(i)); });
  }
}

std::vector<std::uint64_t> all_blocks(verbs::index::Snapshot::Blots& blots) {
  std::vector<std::uint64_t> all;
  for (std::span<const std::uint64_t> some = blots.blocks(); !some.empty(); some = blots.blocks())
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

void ask_blots(verbs::index::Snapshot& snapshot) {
  BlotsOptions options;
  attempt([&] {
    for (verbs::index::Snapshot::Blots blots(snapshot, 0, std::uint64_t{1} << snapshot.layout().blot_bits);
         blots.next();) {
      const std::uint64_t most = blots.most();
      const std::vector<std::uint64_t> blocks = all_blocks(blots);
      REQUIRE(!blocks.empty() && blocks.size() <= most && blocks.back() < snapshot.blocks());
      REQUIRE(std::adjacent_find(blocks.begin(), blocks.end(), std::greater_equal<>()) == blocks.end());
      verbs::index::Snapshot::Blots alone(snapshot, blots.blot());
      REQUIRE(alone.next() && all_blocks(alone) == blocks);
      attempt([&] { snapshot.document_at(blocks.front()); });
      char digits[32];
      std::snprintf(digits, sizeof digits, "%llx", static_cast<unsigned long long>(blots.blot()));
      if (options.unblot.size() < 10) options.unblot.emplace_back(digits);
    }
  });
  attempt([&] { verbs::index::index_unblot(snapshot, options, context(), [](const BlotText&) {}); });
  attempt([&] { verbs::index::index_blots(snapshot, {}, context(), [](const BlotRow&) {}); });
}

void ask_query(verbs::index::Snapshot& snapshot, const std::string& question) {
  CheckingSink sink;
  QueryOptions query;
  query.limit = 0;
  query.max_occurrences = 0;
  for (const Edits edits : {Edits::light, Edits::heavy}) {
    query.limits.edits = edits;
    query.documents = {{"q", question}};
    query.id.clear();
    attempt([&] { verbs::index::query_index(snapshot, query, context(), sink); });
    query.documents.clear();
    query.id = "kept";
    attempt([&] { verbs::index::query_index(snapshot, query, context(), sink); });
    query.with = {"j1", "also"};
    attempt([&] { verbs::index::query_index(snapshot, query, context(), sink); });
    query.with.clear();
    query.id.clear();
    query.self = true;
    attempt([&] { verbs::index::query_index(snapshot, query, context(), sink); });
    query.self = false;
  }
}

// Slow requests are not made for every input.
void ask(const World& world, unsigned what) {
  attempt([&] {
    verbs::index::Snapshot snapshot(world.index());
    switch (what % 4) {
      case 0:
        return ask_documents(snapshot);
      case 1:
        return ask_blots(snapshot);
      case 2:
        return ask_query(snapshot, world.question());
      default: {
        CheckingSink sink;
        verbs::index::extract_passages(snapshot, {}, context(), sink);
      }
    }
  });
  if (what % 4 == 0) attempt([&] { check_index(world.index(), false, context()); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size == 0) return 0;
  const std::size_t which = data[0] / 8 % (world.files().size() + 1);
  const bool is_patch = data[0] / 4 % 2 != 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_manifest = which == world.files().size();
  std::string tail = is_manifest ? std::string() : world.files()[which].tail;
  std::string bytes = is_manifest ? world.lines() : world.files()[which].stream;
  if (is_patch) {
    std::string all = tail + bytes;
    patch(all, rest);
    bytes = all.substr(tail.size());
    tail.assign(all, 0, tail.size());
  } else {
    tail = rest.substr(0, tail.size());
    bytes = rest.substr(tail.size());
  }
  if (is_manifest)
    world.write_lines(bytes);
  else
    world.write(which, tail, bytes);
  ask(world, data[0]);
  world.restore(which);
  return 0;
}
