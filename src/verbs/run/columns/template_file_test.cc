#include "verbs/run/columns/template_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "refrain/error.h"
#include "world.h"

namespace refrain::verbs::run {
namespace {

class TemplateFiles : public testing::Test, public World {
 protected:
  TemplateFiles() : budget_(context(1, std::uint64_t{256} << 20)) {
    RunFile file(at("templates"), "templates", budget_);
    write_templates(file, sources_, documents_);
    file.close(false);
  }
  MemoryBudget budget_;
  const std::vector<std::vector<std::uint64_t>> sources_ = {{5, 70, 900}, {6, 70}};
  const std::vector<std::uint16_t> documents_ = {0, 2, 1, 1, 0};
};

TEST_F(TemplateFiles, SayWhatIsLeftOutOfEachDocument) {
  const TemplateFile file(at("templates"), budget_);
  EXPECT_EQ(file.of(0), nullptr);
  ASSERT_NE(file.of(1), nullptr);
  EXPECT_TRUE(file.of(1)->contains(6));
  EXPECT_FALSE(file.of(1)->contains(5));
  EXPECT_EQ(file.of(2), file.of(3));
  EXPECT_TRUE(file.of(2)->contains(900));
  EXPECT_EQ(file.of(4), nullptr);
  EXPECT_THROW(file.of(5), Error);
}

TEST_F(TemplateFiles, AreWrittenAgainForSomeDocuments) {
  const TemplateFile file(at("templates"), budget_);
  RunFile out(at("some"), "some", budget_);
  file.write_some(out, budget_, [](std::uint64_t document) { return document % 2 == 0; });
  out.close(false);
  const TemplateFile some(at("some"), budget_);
  EXPECT_EQ(some.of(0), nullptr);
  EXPECT_TRUE(some.of(1)->contains(5));
  EXPECT_EQ(some.of(2), nullptr);
  EXPECT_THROW(some.of(3), Error);
}

TEST_F(TemplateFiles, AreRefusedWhereAByteIsWrongOrMissing) {
  const std::string bytes = read("templates");
  ASSERT_EQ(bytes.size(), 8U + 2 * 8 + 2 * 8 + 5 * 8 + 5 * 2 + 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    write("damaged", damaged);
    EXPECT_THROW(TemplateFile(at("damaged"), budget_), Error) << i;
    write("damaged", bytes.substr(0, i));
    EXPECT_THROW(TemplateFile(at("damaged"), budget_), Error) << i;
  }
}

}  // namespace
}  // namespace refrain::verbs::run
