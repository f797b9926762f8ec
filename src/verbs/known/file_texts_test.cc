// Tests that FileTexts finds every text, and reads files as rarely as it promises.
#include "verbs/known/file_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gzip.h"
#include "random_text.h"
#include "refrain/error.h"
#include "world.h"

namespace refrain::verbs::known {
namespace {

class FileTextsTest : public testing::Test, public World {
 protected:
  // Makes a compressed file of texts of about 350 bytes each.
  InputOptions packed(const std::string& name, std::uint64_t seed, std::size_t count, std::vector<std::string>& texts) {
    std::mt19937_64 random(seed);
    std::string lines;
    texts.clear();
    for (std::size_t i = 0; i < count; ++i) {
      texts.push_back(join(random_words(random, 50)));
      lines += json_record({{"text", texts.back()}}) + "\n";
    }
    InputOptions input;
    input.paths = {write(name, gzip(lines))};
    return input;
  }

  MemoryBudget budget_{context()};
};

TEST_F(FileTextsTest, ALargeFileIsReadOnceForEachPartOfIt) {
  std::vector<std::string> texts;
  const InputOptions input = packed("large.jsonl.gz", 1, 1000, texts);
  constexpr std::uint64_t kPart = 50'000;  // a seventh of the file
  FileTexts files(context(1), budget_, kPart);
  for (const std::string& text : texts) EXPECT_EQ(files.find(input, digest(text), {}), text);
  EXPECT_LE(files.reads(), 8U);
  std::mt19937_64 random(2);
  for (int i = 0; i < 30; ++i) {  // any order works, but takes more time
    const std::string& text = texts[random() % texts.size()];
    EXPECT_EQ(files.find(input, digest(text), {}), text);
  }
  const std::uint64_t before = files.reads();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(files.find(input, digest("nowhere"), {}), std::nullopt);
  EXPECT_LE(files.reads(), before + 1);
}

TEST_F(FileTextsTest, ManyFilesAreReadOnceEach) {
  std::vector<InputOptions> inputs;
  std::vector<std::vector<std::string>> texts(5);
  for (std::size_t i = 0; i < texts.size(); ++i)
    inputs.push_back(packed(std::to_string(i) + ".jsonl.gz", i, 50, texts[i]));
  FileTexts files(context(1), budget_);
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      for (int i = 0; i < 200; ++i) {
        const std::size_t file = random() % inputs.size();
        const std::string& text = texts[file][random() % texts[file].size()];
        EXPECT_EQ(files.find(inputs[file], digest(text), {}), text);
      }
    });
  threads.clear();
  EXPECT_EQ(files.reads(), inputs.size());
}

TEST_F(FileTextsTest, FilesThatAreDamagedOrGoneAreNotReadAgainAndAgain) {
  std::vector<std::string> texts;
  const InputOptions input = packed("in.jsonl.gz", 3, 2000, texts);
  FileTexts files(context(1), budget_);
  EXPECT_EQ(files.find(input, digest(texts[5]), {}), texts[5]);
  const std::string whole = read("in.jsonl.gz");
  write("in.jsonl.gz", whole.substr(0, whole.size() / 2));
  for (std::size_t i = 1990; i < 2000; ++i) EXPECT_EQ(files.find(input, digest(texts[i]), {}), std::nullopt);
  EXPECT_EQ(files.reads(), 2U);
  std::filesystem::remove(at("in.jsonl.gz"));
  EXPECT_EQ(files.find(input, digest(texts[5]), {}), std::nullopt);
}

TEST_F(FileTextsTest, StopsWhenItIsTold) {
  std::vector<std::string> texts;
  const InputOptions input = packed("in.jsonl.gz", 4, 2000, texts);
  FileTexts files(context(1), budget_);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(files.find(input, digest(texts[5]), stop.get_token()), Error);
  EXPECT_EQ(files.find(input, digest(texts[5]), {}), texts[5]);
}

}  // namespace
}  // namespace refrain::verbs::known
