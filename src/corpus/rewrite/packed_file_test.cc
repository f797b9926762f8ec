#include "corpus/rewrite/packed_file.h"
#include "base/files/file.h"

#include <random>

#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

TEST_F(Corpus, APackedFileDependsOnItsBytesNotOnHowTheyCame) {
  Context context;
  MemoryBudget budget(context);
  const std::uint64_t available = budget.available();
  {
    PackedFile file(budget, 1);
    PackedFile other(budget, 3);
    std::mt19937 random(5);
    for (const Packing packing : {Packing::none, Packing::gzip, Packing::zstd, Packing::xz, Packing::bzip2,
                                  Packing::lz4, Packing::gzip, Packing::xz, Packing::none})
      for (const std::size_t size : {0U, 1U, 1000U, 128U << 10U, 384U << 10U, 700000U}) {
        std::string content(size, 'a');
        for (char& byte : content) byte = static_cast<char>(' ' + random() % 40 * (random() % 2));
        file.open(at("whole"), packing);
        file.write(content);
        const std::uint64_t bytes = file.close();
        other.open(at("parts"), packing);
        for (std::string_view rest = content; !rest.empty();) {
          const std::size_t part = std::min<std::size_t>(rest.size(), random() % (random() % 9 == 0 ? 400000 : 2000));
          other.write(rest.substr(0, part));
          rest.remove_prefix(part);
        }
        other.close();
        EXPECT_EQ(read_file(at("whole")).size(), bytes);
        EXPECT_TRUE(read_file(at("whole")) == read_file(at("parts")));
        Packing found{};
        EXPECT_TRUE(unpacked(at("whole"), &found) == content);
        EXPECT_EQ(found, packing);
      }
  }
  EXPECT_EQ(budget.available(), available);
}

}  // namespace
}  // namespace refrain::corpus
