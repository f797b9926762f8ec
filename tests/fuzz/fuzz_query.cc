// Queries a small, valid index with arbitrary text: answers stay inside the texts, and the answer about one document
// is the same whether the others are compared or not. Reads arbitrary bytes as a file of pairs.
//
// The input: a byte that selects the options, then one byte per word, which is a word of the index or a new one, then
// a zero and the file of pairs.
#include <algorithm>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/files/temp.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "require.h"

namespace {

using namespace refrain;
namespace fs = std::filesystem;

Context context() {
  return {.memory_bytes = std::uint64_t{96} << 20U, .threads = 1};
}

// Words that recur often: 64 different ones, some not ASCII.
std::string word(unsigned number) {
  return (number % 7 == 0 ? "w\u00F6rt" : "word") + std::to_string(number % 64);
}

class World {
 public:
  World() {
    std::vector<QueryDocument> documents;
    unsigned state = 1;
    for (unsigned i = 0; i < 12; ++i) {
      std::string text;
      // Some texts follow the same order for a while, some repeat a few words, one is the same word again and again.
      for (unsigned k = 0; k < 40 + 30 * i; ++k) {
        state = state * 1103515245U + 12345U;
        const unsigned next = i == 11 ? 3 : i % 3 == 0 ? k + i : i % 3 == 1 ? k % 5 : state >> 16U;
        text += word(next) + (k % 9 == 8 ? ".\n" : " ");
      }
      texts_["d" + std::to_string(i)] = text;
      documents.push_back({"d" + std::to_string(i), text});
    }
    std::ofstream(folder_.path() / "none") << "";
    IndexCreateOptions options;
    options.index = folder_.path() / "index";
    options.input.paths = {(folder_.path() / "none").string()};
    options.layout.window = 6;
    create_index(options, context());
    index_ = std::make_unique<Index>(options.index);
    index_->add(documents, false, context());
  }

  const Index& index() const { return *index_; }
  const std::map<std::string, std::string>& texts() const { return texts_; }
  std::string pairs_path() const { return (folder_.path() / "pairs").string(); }

 private:
  const TempDir folder_{fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(), "refrain-fuzz"};
  std::map<std::string, std::string> texts_;
  std::unique_ptr<Index> index_;
};

struct Place {
  std::string id;
  ByteRange query;
  ByteRange bytes;
  double similarity = 0;
  double score = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

bool before(const Place& a, const Place& b) {
  const auto key = [](const Place& place) {
    return std::tuple(place.id, place.query.begin, place.query.end, place.bytes.begin, place.bytes.end);
  };
  return key(a) < key(b);
}

class Places : public PassageSink {
 public:
  Places(const World& world, std::string_view query) : world_(world), query_(query) {}
  void begin(const PassageHead& head) override {
    REQUIRE(head.text == query_.substr(head.bytes.begin, head.bytes.end - head.bytes.begin));
  }
  void occurrence(const Occurrence& one) override {
    const std::string& text = world_.texts().at(one.id);
    REQUIRE(one.bytes.begin < one.bytes.end && one.bytes.end <= text.size());
    REQUIRE(one.text == text.substr(one.bytes.begin, one.bytes.end - one.bytes.begin));
    REQUIRE(one.query.begin < one.query.end && one.query.end <= query_.size());
    REQUIRE(one.similarity > 0 && one.similarity <= 1 && one.query_share > 0 && one.query_share <= 1);
    REQUIRE(one.document_share > 0 && one.document_share <= 1);
    all.push_back({one.id, one.query, one.bytes, one.similarity, one.score});
  }
  void end() override {}

  std::vector<Place> all;

 private:
  const World& world_;
  std::string_view query_;
};

std::vector<Place> ask(const World& world, const QueryOptions& options) {
  Places places(world, options.documents.front().text);
  world.index().query(options, context(), places);
  std::sort(places.all.begin(), places.all.end(), before);
  return places.all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size == 0 || size > 600) return 0;
  const std::uint8_t* const end = data + size;
  const std::uint8_t* const zero = std::find(data + 1, end, 0);
  QueryOptions options;
  options.limit = 0;
  options.max_occurrences = 0;
  options.limits.edits = static_cast<Edits>(data[0] % 3);
  if (data[0] / 4 % 2 != 0) options.limits.max_gap = data[0] / 8 % 8;
  if (data[0] / 64 % 2 != 0) options.limits.min_tokens = 4;
  std::string text;
  for (const std::uint8_t* at = data + 1; at != zero; ++at)
    text += (*at < 192 ? word(*at) : "new" + std::to_string(at - data)) + (*at % 13 == 0 ? "\xFF, " : " ");
  options.documents = {{"q", text}};
  if (data[0] / 128 != 0) options.limits.exclude = {text.substr(0, text.size() / 2)};
  const std::vector<Place> whole = ask(world, options);
  std::size_t apart = 0;
  for (const auto& [id, ignored] : world.texts()) {
    options.with = {id};
    const std::vector<Place> reported = ask(world, options);
    std::vector<Place> wanted;
    for (const Place& place : whole)
      if (place.id == id) wanted.push_back(place);
    REQUIRE(reported == wanted);
    apart += reported.size();
  }
  REQUIRE(apart == whole.size());
  if (zero == end) return 0;
  options.with.clear();
  options.pairs_file = world.pairs_path();
  std::ofstream(options.pairs_file, std::ios::binary).write(reinterpret_cast<const char*>(zero + 1), end - zero - 1);
  try {
    for (const Place& place : ask(world, options)) REQUIRE(std::find(whole.begin(), whole.end(), place) != whole.end());
  } catch (const Error& error) {
    REQUIRE(error.code() == Errc::bad_input);
  }
  return 0;
}
