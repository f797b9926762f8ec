#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

namespace fs = std::filesystem;

// Here, the number of code points differs from the number of bytes and of UTF-16 units.
constexpr const char* kCjk = "重复的文字😀在这里又一次出现了，然后就没有了";

class AttributesTest : public DedupTest {
 protected:
  DedupOptions dolma(const std::string& input) {
    DedupOptions wanted = options(input);
    wanted.input.id_field = "id";
    wanted.attributes = Attributes::dolma;
    return wanted;
  }
  std::string attributes(const std::string& name) { return read("out/attributes/" + name); }
  static std::string record(const std::string& id, const std::string& text) {
    return R"({"id": )" + id + R"(, "text": )" + json_text(text) + "}";
  }
};

TEST_F(AttributesTest, AreALineADocumentInCodePoints) {
  write_lines("documents/sub/a.jsonl", {record("\"a\\\"1\"", kCjk), record("17", kCjk), "no record", ""});
  write_lines("documents/b.jsonl", {record("\"b\"", kCjk), record("\"c\"", "short"), record("\"d\"", "")});
  write_lines("documents/empty.jsonl", {});
  run(dolma(at("documents")));
  const std::string none =
      R"("refrain__dedup__duplicate": [], "refrain__dedup__exact": [], "refrain__dedup__near": []}})";
  const std::string copy = R"("refrain__dedup__duplicate": [[0, 22, 1.0]], "refrain__dedup__exact": [[0, 22, 1.0]], )"
                           R"("refrain__dedup__near": []}})";
  EXPECT_EQ(attributes("documents/b.jsonl"), R"({"id": "b", "attributes": {)" + none + "\n" +
                                                 R"({"id": "c", "attributes": {)" + none + "\n" +
                                                 R"({"id": "d", "attributes": {)" + none + "\n");
  EXPECT_EQ(attributes("documents/sub/a.jsonl"), R"({"id": "a\"1", "attributes": {)" + copy + "\n" +
                                                     R"({"id": 17, "attributes": {)" + copy + "\n" +
                                                     R"({"id": null, "attributes": {)" + none + "\n");
  EXPECT_EQ(attributes("documents/empty.jsonl"), "");
}

TEST_F(AttributesTest, TellPassagesThatAreCutAndThoseOfAnotherSet) {
  const std::string quote = "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸";  // 20 characters of 3 bytes
  const std::string input =
      write_lines("in.jsonl", {record("\"a\"", "😀 before " + quote), record("\"b\"", "é then " + quote + " and on"),
                               record("\"c\"", "the quick brown fox jumps over the lazy dog today 😀")});
  const std::string other = write_lines("quiz.jsonl", {record("\"q\"", "quick brown fox jumps over the lazy dog")});
  DedupOptions wanted = dolma(input);
  wanted.exact = false;
  wanted.near = NearMethod::off;
  wanted.substrings = 40;
  wanted.against.paths = {other};
  wanted.against.id_field = "id";
  wanted.against_action = AgainstAction::mark;
  run(wanted);
  const auto line = [](const std::string& id, const std::string& against, const std::string& substring) {
    return R"({"id": ")" + id + R"(", "attributes": {"refrain__dedup__duplicate": [], "refrain__dedup__against": [)" +
           against + R"(], "refrain__dedup__substring": [)" + substring + "]}}\n";
  };
  EXPECT_EQ(attributes("in.jsonl"), line("a", "", "") + line("b", "", "[6, 27, 1.0]") + line("c", "[4, 43, 1.0]", ""));
}

TEST_F(AttributesTest, AreRefusedForWhatDolmaCouldNotRead) {
  const auto complaint = [&](const DedupOptions& wanted) -> std::string {
    try {
      run(wanted);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::invalid_argument);
      EXPECT_FALSE(fs::exists(wanted.output));
      return error.what();
    }
    return "none";
  };
  const std::string good = write_lines("in.jsonl", {record("\"a\"", "text")});
  DedupOptions no_id = dolma(good);
  no_id.input.id_field.clear();
  EXPECT_EQ(complaint(no_id), "`attributes` dolma: needs ids; add `id_field` id");
  const std::string table = write_lines("mixed/table.csv", {"id,text", "a,b"});
  EXPECT_EQ(complaint(dolma(table)), table + ": `attributes` dolma needs JSONL; if it is JSONL, add `format` jsonl");
  EXPECT_EQ(complaint(dolma(at("mixed"))),
            table + ": `attributes` dolma needs JSONL; if it is JSONL, add `format` jsonl");
  EXPECT_EQ(complaint(dolma("-")), "-: `attributes` reads its input twice; write it to a file first");
}

}  // namespace
}  // namespace refrain::verbs::dedup
