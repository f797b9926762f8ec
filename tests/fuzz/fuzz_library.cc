// Changes one file of a small, valid library, under correct checksums, so that the checks behind them are tested.
// Every request is answered or is an Error.
//
// The input: a byte that selects the file, and one of two ways of changing; then the new tail and stream of the file,
// or patches of the old ones, each an offset (2 bytes) and a byte. For the manifest: all lines except the last.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/files/temp.h"
#include "engines/library/folder.h"
#include "engines/library/format.h"
#include "engines/library/reader.h"
#include "patch.h"
#include "refrain/error.h"
#include "require.h"
#include "store/page_file.h"
#include "store/segments/folder.h"
#include "store/segments/manifest_text.h"

namespace {

using namespace refrain;
namespace fs = std::filesystem;

constexpr std::size_t kTailBytes = 48;  // six numbers, the most that a file has
constexpr std::size_t kManifestFile = library::kSegmentFiles + 1;

struct File {
  fs::path path;
  std::string magic;
  std::string tail;
  std::string stream;  // without magic and version
};

const library::Layout kLayout = {.rules = {{"made", "for this"}}, .lanes = 8, .bands = 2, .rows = 3};

class World {
 public:
  World() {
    {
      library::LibraryWriter writing(folder(), kLayout);
      library::SegmentWriter& writer = writing.add("run", 100, context_, budget_, temp_);
      for (std::uint32_t i = 0; i < 3; ++i) {
        writer.add(library::Origin{"run " + std::to_string(i), "{}"});
        writer.add(library::TextFile{"file " + std::to_string(i), i, 3});
        writer.add(library::Source{"source " + std::to_string(i), {i, i + 7, ~std::uint64_t{0} - i}});
      }
      const std::vector<std::uint8_t> signature = {1, 2, 3, 4, 5, 6, 7, 8};
      for (std::uint32_t i = 0; i < 150; ++i) {
        const std::string id = "document " + std::to_string(i * i);
        const std::vector<std::uint32_t> bands = {i % 9, i};
        const std::uint64_t hash = (i + 1) * 0x9E3779B97F4A7C15U;
        keys_.push_back(hash);
        library::NewDocument document;
        document.id = id;
        document.digest = {hash, i};
        if (i % 5 != 0) document.signature = signature;
        if (i % 5 != 0) document.bands = bands;
        document.source = i % 3;
        if (i % 7 != 0) document.place = {i % 3, i * std::uint64_t{1000}, 900};
        document.text_bytes = 800 + i;
        document.rank = i;
        library::append_keys(kLayout, document.digest, document.signature, document.bands, keys_);
        writer.add(document);
      }
      writing.commit();
    }
    library::LibraryWriter writing(folder());
    writing.remove([](std::string_view id, std::string_view) { return id.ends_with('4'); }, context_, budget_);
    writing.commit();
    std::sort(keys_.begin(), keys_.end());
    manifest_ = library::read_manifest(folder());
    REQUIRE(manifest_.segments.size() == 1 && manifest_.segments.front().removed > 0);
    const library::SegmentInfo& segment = manifest_.segments.front();
    const fs::path at = store::segment_path(folder(), segment.number);
    files_ = {
        {at / library::kDocumentsName, library::kDocumentsMagic, {}, {}},
        {at / library::kIdsName, library::kIdsMagic, {}, {}},
        {at / library::kNamesName, library::kNamesMagic, {}, {}},
        {at / library::kKeysName, library::kKeysMagic, {}, {}},
        {at / library::kFilterName, library::kFilterMagic, {}, {}},
        {store::removed_path(folder(), segment.number, segment.removed_generation), library::kRemovedMagic, {}, {}}};
    for (File& file : files_) {
      store::PageReader reader(file.path.string(), file.magic, library::kLibraryFormatVersion);
      file.tail = reader.tail().substr(0, kTailBytes);
      reader.read(store::PageReader::kBegin, reader.size() - store::PageReader::kBegin, file.stream);
    }
    lines_ = library::to_text(manifest_);
    lines_.resize(lines_.rfind("checksum "));
  }

  std::vector<File>& files() { return files_; }
  const std::string& lines() const { return lines_; }

  void write_lines(const std::string& lines) const {
    std::ofstream(folder() / store::kManifestName) << store::with_checksum(lines);
  }
  // Replaces a file, and updates the manifest.
  void write(std::size_t which, std::string tail, std::string_view stream) const {
    const File& file = files_[which];
    tail.resize(kTailBytes);
    store::PageWriter out(file.path.string(), file.magic, library::kLibraryFormatVersion);
    out.write(stream);
    const store::PageFileId id = out.finish(tail);
    library::Manifest manifest = manifest_;
    library::SegmentInfo& segment = manifest.segments.front();
    std::uint64_t numbers[kTailBytes / sizeof(std::uint64_t)];
    std::memcpy(numbers, tail.data(), kTailBytes);
    if (which < library::kSegmentFiles)
      segment.files[which] = id;
    else
      segment.removed_file = id;
    if (which == library::kDocumentsFile) {
      segment.text_bytes = numbers[1];
      segment.greatest_rank = numbers[2];
    } else if (which == library::kKeysFile) {
      segment.keys = numbers[4];
    }
    std::string lines = library::to_text(manifest);
    lines.resize(lines.rfind("checksum "));
    write_lines(lines);
  }
  // Restores the original state.
  void restore(std::size_t which) const {
    if (which < files_.size()) write(which, files_[which].tail, files_[which].stream);
    write_lines(lines_);
  }

  void query() {
    attempt([&] {
      library::Reader reader(folder(), budget_);
      std::vector<library::Probe> probes;
      for (const std::uint64_t key : keys_) probes.push_back({key, 0, 50});
      attempt([&] {
        reader.find(probes, [&](std::size_t, library::KnownId document) { REQUIRE(document < reader.documents()); });
      });
      library::KnownDocument known;
      for (library::KnownId i = 0; i < reader.documents(); ++i) {
        attempt([&] { reader.id(i); });
        attempt([&] {
          reader.get(i, known);
          REQUIRE(known.signature.empty() || known.signature.size() == reader.layout().lanes);
          reader.source_name(known.segment, known.source);
          if (known.place.file != library::kNoFile)
            reader.origin(known.segment, reader.file(known.segment, known.place.file).origin);
        });
      }
      attempt([&] { reader.for_each_source(0, [](std::uint32_t, const library::Source&) {}); });
    });
    attempt([&] { library::check(folder(), context_, budget_); });
  }

 private:
  template <class Work>
  static void attempt(Work work) {
    try {
      work();
    } catch (const Error&) {  // expected
    }
  }
  fs::path folder() const { return folder_.path() / "library"; }

  const TempDir folder_{fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(), "refrain-fuzz"};
  const Context context_{.memory_bytes = std::uint64_t{96} << 20U, .threads = 1};
  MemoryBudget budget_{context_};
  TempSpace temp_{context_};
  library::Manifest manifest_;
  std::string lines_;
  std::vector<File> files_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size == 0) return 0;
  const std::size_t which = data[0] / 2 % (kManifestFile + 1);
  const bool is_patch = data[0] % 2 != 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_manifest = which == kManifestFile;
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
  world.query();
  world.restore(which);
  return 0;
}
