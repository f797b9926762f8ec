// Libraries for tests, and a slow, obvious implementation to compare them with.
#pragma once

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "engines/library/folder.h"
#include "engines/library/reader.h"
#include "world.h"

namespace refrain::library {

// A document that owns its data.
struct TestDocument {
  std::string id;
  Digest digest;
  std::vector<std::uint8_t> signature;
  std::vector<std::uint32_t> bands;
  std::string source;
  std::string file;  // empty: its text is in no file
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t rank = 0;
};

inline const Layout kTestLayout = {
    .rules = {{"tokenizer", "words"}, {"window", "5 tokens\nor \\ so"}}, .lanes = 8, .bands = 3, .rows = 2};

inline TestDocument random_document(std::mt19937_64& random, const Layout& layout, unsigned variety = 1000) {
  TestDocument document;
  document.id = "https://example" + std::to_string(random() % 20);
  document.id += ".org/page/" + std::to_string(random());
  document.digest = {random(), random()};
  if (random() % 8 != 0) {
    for (unsigned i = 0; i < layout.lanes; ++i) document.signature.push_back(static_cast<std::uint8_t>(random() % 4));
    for (unsigned i = 0; i < layout.bands; ++i)
      document.bands.push_back(static_cast<std::uint32_t>(random() % variety));
  }
  document.source = "example" + std::to_string(random() % 20) + ".org";
  if (random() % 5 != 0) {
    document.file = "part-" + std::to_string(random() % 3) + ".jsonl";
    document.begin = random() % (std::uint64_t{1} << 40U);
    document.bytes = random() % 10000;
  }
  document.text_bytes = random() % 20000;
  document.rank = random() >> random() % 64;
  return document;
}

inline std::vector<std::uint64_t> keys_of(const TestDocument& document, const Layout& layout) {
  std::vector<std::uint64_t> keys;
  append_keys(layout, document.digest, document.signature, document.bands, keys);
  return keys;
}

inline std::vector<std::uint64_t> left_out_of(const std::string& source) {
  return source.size() % 2 == 0 ? std::vector<std::uint64_t>{}
                                : std::vector<std::uint64_t>{3, source.size() + 7, ~0ULL};
}

inline void add_all(SegmentWriter& writer, const std::vector<TestDocument>& documents, const std::string& origin) {
  std::map<std::string, std::uint32_t> sources;
  std::map<std::string, std::uint32_t> files;
  const std::uint32_t from = writer.add(Origin{origin, "{\"input\": 1}"});
  for (const TestDocument& document : documents) {
    if (!sources.contains(document.source))
      sources[document.source] = writer.add(Source{document.source, left_out_of(document.source)});
    TextPlace place;
    if (!document.file.empty()) {
      if (!files.contains(document.file)) files[document.file] = writer.add(TextFile{document.file, from, 3});
      place = {files[document.file], document.begin, document.bytes};
    }
    writer.add(NewDocument{.id = document.id,
                           .digest = document.digest,
                           .signature = document.signature,
                           .bands = document.bands,
                           .source = sources[document.source],
                           .place = place,
                           .text_bytes = document.text_bytes,
                           .rank = document.rank});
  }
}

// A library in a folder of its own, and the documents that should be in it.
class TestLibrary : public World {
 public:
  explicit TestLibrary(Layout layout = kTestLayout) : layout_(std::move(layout)) {}

  std::filesystem::path path() const { return at("library"); }
  const Layout& layout() const { return layout_; }

  void add(const std::vector<TestDocument>& documents, const std::string& run = "") {
    LibraryWriter writing(path(), layout_);
    add_all(writing.add(run, documents.size(), context_, budget_, temp_), documents, "run-" + run);
    writing.commit();
    expected_.insert(expected_.end(), documents.begin(), documents.end());
  }
  MemoryBudget& budget() { return budget_; }
  TempSpace& temp() { return temp_; }
  const Context& context() const { return context_; }
  std::vector<TestDocument>& expected() { return expected_; }

  template <class Change>
  void change(Change change_it) {
    LibraryWriter writing(path());
    change_it(writing);
    writing.commit();
  }

  template <class Change>
  void change_or_make(Change change_it) {
    LibraryWriter writing(path(), layout_);
    change_it(writing);
    writing.commit();
  }

  // Lists everything that can be read about each document, one line per document.
  std::vector<std::string> read_all() {
    Reader reader(path(), budget_);
    std::vector<std::string> lines;
    reader.for_each([&](KnownId number, const KnownDocument& known, std::string_view id) {
      TestDocument document{.id = std::string(id),
                            .digest = known.digest,
                            .signature = known.signature,
                            .bands = {},
                            .source = reader.source_name(known.segment, known.source),
                            .file = {},
                            .begin = known.place.begin,
                            .bytes = known.place.bytes,
                            .text_bytes = known.text_bytes,
                            .rank = known.rank};
      if (known.place.file != kNoFile) document.file = reader.file(known.segment, known.place.file).path;
      KnownDocument again;
      reader.get(number, again);
      lines.push_back(line_of(document));
      if (reader.id(number) != id || again.digest != known.digest || again.segment != known.segment)
        lines.push_back("another when it is asked for by its number");
    });
    return lines;
  }
  std::vector<std::string> expected_lines() const {
    std::vector<std::string> lines;
    for (const TestDocument& document : expected_) lines.push_back(line_of(document));
    return lines;
  }
  static std::string line_of(const TestDocument& document) {
    std::string line = document.id + " " + std::to_string(document.digest.high) + " " +
                       std::to_string(document.digest.low) + " " + document.source + " " + document.file;
    for (const std::uint64_t number : {document.begin, document.bytes, document.text_bytes, document.rank})
      line += " " + std::to_string(number);
    for (const std::uint8_t lane : document.signature) line += " " + std::to_string(lane);
    return line;
  }

 private:
  const Layout layout_;
  const Context context_{.memory_bytes = std::uint64_t{128} << 20U, .threads = 2, .temp_dir = folder().string()};
  MemoryBudget budget_{context_};
  TempSpace temp_{context_};
  std::vector<TestDocument> expected_;
};

// Returns what a std::multimap finds: for each probe, one line with the ids of the documents that have its key, in
// order.
inline std::vector<std::string> found_by_map(const std::vector<TestDocument>& documents, const Layout& layout,
                                             const std::vector<Probe>& probes) {
  std::multimap<std::uint64_t, std::size_t> map;
  constexpr unsigned kDropped = 20;  // bits of a key that are not stored
  for (std::size_t i = 0; i < documents.size(); ++i)
    for (const std::uint64_t key : keys_of(documents[i], layout)) map.emplace(key >> kDropped, i);
  std::vector<std::string> found;
  for (const Probe& probe : probes) {
    std::vector<std::size_t> numbers;
    const auto [begin, end] = map.equal_range(probe.key >> kDropped);
    for (auto at = begin; at != end; ++at) numbers.push_back(at->second);
    std::sort(numbers.begin(), numbers.end());
    std::string line;
    for (const std::size_t number : numbers) line += documents[number].id + " ";
    found.push_back(line);
  }
  return found;
}

inline std::vector<std::string> found_by_reader(Reader& reader, const std::vector<Probe>& probes) {
  std::vector<std::string> found(probes.size());
  reader.find(probes, [&](std::size_t probe, KnownId document) { found[probe] += reader.id(document) + " "; });
  return found;
}

// Returns all keys of all documents, and some keys that no document has.
inline std::vector<Probe> probes_for(const std::vector<TestDocument>& documents, const Layout& layout) {
  std::vector<Probe> probes;
  std::mt19937_64 random(99);
  for (const TestDocument& document : documents)
    for (const std::uint64_t key : keys_of(document, layout)) {
      probes.push_back({key, static_cast<std::uint32_t>(probes.size())});
      probes.push_back({key + (std::uint64_t{1} << 20U), static_cast<std::uint32_t>(probes.size())});
      probes.push_back({random(), static_cast<std::uint32_t>(probes.size())});
    }
  probes.push_back({0, 0});
  probes.push_back({~std::uint64_t{0}, 0});
  std::sort(probes.begin(), probes.end());
  return probes;
}

}  // namespace refrain::library
