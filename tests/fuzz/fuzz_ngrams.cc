// Reads arbitrary bytes as the content of an n-gram index, under correct checksums, so that the checks behind them
// are tested.
//
// The input: the lengths of three streams (2 bytes each), the streams of grams.bin, places.bin and documents.bin
// without magic and version, and the tails of grams.bin (72 bytes) and documents.bin (40).
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/files/temp.h"
#include "engines/ngram/index/gram_key.h"
#include "engines/ngram/index/reader.h"
#include "refrain/error.h"
#include "require.h"

namespace {

using namespace refrain;

constexpr std::size_t kGramsTail = 72;
constexpr std::size_t kDocumentsTail = 40;

store::PageFileId write(const std::filesystem::path& folder, const char* name, const char* magic,
                        std::string_view stream, std::string_view tail) {
  store::PageWriter file((folder / name).string(), magic, ngram::kNgramFormatVersion);
  file.write(stream);
  return file.finish(tail);
}

void read_all(const std::filesystem::path& folder) {
  ngram::IndexReader reader(folder);
  ngram::GramEntry entry;
  reader.rewind();
  while (reader.next(entry)) {
    std::string ids;
    ngram::PlaceCursor places = reader.places(entry);
    std::uint64_t count = 0;
    for (ngram::GramPlace place; places.next(place); ++count) {
      REQUIRE(place.document < reader.sizes().documents);
      reader.append_id(ids, place.document);
    }
    REQUIRE(count == entry.count);
    const std::string text(entry.text);
    ngram::GramEntry found;
    if (const auto key = ngram::key_of_text(text, reader.head().n); key && reader.find(*key, text, found))
      REQUIRE(found.text == text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir folder(std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path(),
                              "refrain-fuzz");
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto take = [&](std::size_t bytes) {
    const std::string_view taken = rest.substr(0, bytes);
    rest.remove_prefix(taken.size());
    return taken;
  };
  const auto length = [&] {
    const std::string_view two = take(2);
    return two.size() < 2 ? std::size_t{0}
                          : static_cast<std::uint8_t>(two[0]) + std::size_t{256} * static_cast<std::uint8_t>(two[1]);
  };
  const std::size_t grams_bytes = length();
  const std::size_t places_bytes = length();
  const std::size_t documents_bytes = length();
  const std::string_view grams = take(grams_bytes);
  const std::string_view places = take(places_bytes);
  const std::string_view documents = take(documents_bytes);
  std::string tail(take(kGramsTail));
  tail.resize(kGramsTail);
  const store::PageFileId places_id = write(folder.path(), ngram::kPlacesName, ngram::kPlacesMagic, places, {});
  const store::PageFileId documents_id =
      write(folder.path(), ngram::kDocumentsName, ngram::kDocumentsMagic, documents, take(kDocumentsTail));
  for (const std::uint64_t number : {places_id.bytes, places_id.digest, documents_id.bytes, documents_id.digest})
    tail.append(reinterpret_cast<const char*>(&number), sizeof number);
  write(folder.path(), ngram::kGramsName, ngram::kGramsMagic, grams, tail);

  const auto attempt = [&](auto work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      REQUIRE(error.code() == Errc::corrupt || error.code() == Errc::unsupported);
      return false;
    }
  };
  const bool whole = attempt([&] { ngram::IndexReader(folder.path()).check([](std::uint64_t) {}); });
  const bool readable = attempt([&] { read_all(folder.path()); });
  REQUIRE(!whole || readable);
  return 0;
}
