#include <fmt/format.h>

#include <random>

#include "corpus/formats/warc.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {
namespace fs = std::filesystem;

std::string arc_record(const std::string& url, const std::string& type, const std::string& block,
                       const std::string& more = "") {
  return fmt::format("{} 127.10.100.2 19961104142103 {} {}{}\n{}\n", url, type, more, block.size(), block);
}

std::string arc_page(const std::string& url, const std::string& body, const std::string& more = "") {
  return arc_record(url, "text/html", "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + body, more);
}

const std::string kArcHead = arc_record(
    "filedesc://a.arc", "text/plain", "1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n");

class Arc : public Corpus {
 protected:
  Collected read(const std::string& content, InputOptions options = {}) {
    options.paths = {write("a.arc", content)};
    return collect(options);
  }
};

TEST_F(Arc, PagesAreDocumentsAndOthersArePassedOver) {
  const Collected found =
      read(kArcHead + arc_page("http://a/", "<p>one&amp;two") + arc_record("dns:a", "text/dns", "a IN A 1") +
           arc_record("http://b/x.png", "image/png", "HTTP/1.0 200 OK\r\nContent-Type: image/png\r\n\r\nx") +
           arc_record("http://c/", "text/html", "HTTP/1.0 404 None\r\nContent-Type: text/html\r\n\r\nx") +
           arc_record("http://d/", "text/plain", "HTTP/1.0 200 OK\r\n\r\nits type stands before it") +
           // Version 2 of ARC.
           arc_page("https://e/", "<p>two", "200 - - 1234 a.arc ") + arc_record("http://f/", "text/html", "no HTTP"));
  EXPECT_EQ(found.texts(), (Texts{"one&two", "its type stands before it", "two", "<bad>"}));
  EXPECT_EQ(found.ids(), (Texts{"http://a/", "http://d/", "https://e/", ""}));
  EXPECT_EQ(found.report.other_skipped, 4U);
  EXPECT_EQ(found.complaints(), Texts{at("a.arc") + ":0: http://f/: not an HTTP response"});
}

TEST_F(Arc, NamesTellTheFormatAndRecordsMayBePackedOneByOne) {
  write("in/a.arc", kArcHead + arc_page("http://a/", "a"));
  write("in/b.ARC.gz", gzip(kArcHead) + gzip(arc_page("http://b/", "b")) + gzip(arc_page("http://c/", "c")));
  EXPECT_EQ(collect({.paths = {at("in")}}).texts(), (Texts{"a", "b", "c"}));
  EXPECT_EQ(collect({.paths = {write("x", kArcHead + arc_page("http://d/", "d"))}, .format = Format::warc}).texts(),
            Texts{"d"});
}

TEST_F(Arc, ItsFewHeadersHaveTheNamesOfWarc) {
  const std::string content = kArcHead + arc_page("http://a/", "a");
  EXPECT_EQ(read(content, {.extra_fields = {"warc-ip-address", "WARC-Date", "x"}}).documents[0].fields,
            (Texts{"string:127.10.100.2", "string:19961104142103", "missing:"}));
  EXPECT_EQ(read(content, {.id_field = "WARC-Date"}).ids(), Texts{"19961104142103"});
}

TEST_F(Arc, ReadingGoesOnBehindDamage) {
  const std::string a = arc_page("http://a/", "first");
  const std::string b = arc_page("http://b/", "second");
  const std::string c = arc_page("http://c/", "third");
  EXPECT_EQ(read("junk\n" + a + c).texts(), (Texts{"<bad>", "first", "third"}));
  EXPECT_EQ(read(a + "http://junk 1 2 3\n" + c + "\n\n").texts(), (Texts{"first", "<bad>", "third"}));
  EXPECT_EQ(read(a + b.substr(0, b.size() - 8) + "\n" + c).texts(), (Texts{"first", "<bad>", "third"}));
  EXPECT_EQ(read(a + b.substr(0, 30)).texts(), (Texts{"first", "<bad>"}));
  // A record that is too long, and a long stretch of bytes that is not a record.
  const std::string large = arc_page("http://d/", std::string(70000, 'x'));
  EXPECT_EQ(read(a + large + c, {.max_doc_bytes = 100}).texts(), (Texts{"first", "<bad>", "third"}));
  EXPECT_EQ(read(a + "junk" + std::string(80000, 'x') + "\n" + c, {.max_doc_bytes = 100}).texts(),
            (Texts{"first", "<bad>", "third"}));
}

TEST_F(Arc, RecordsFollowEachOtherWhateverTheBytes) {
  std::mt19937 random(11);
  const std::string whole = kArcHead + arc_page("http://a/", "first") + arc_page("http://b/", "second\n\n");
  for (int round = 0; round < 20; ++round) {
    std::string content = whole;
    for (int change = 0; change < 3; ++change) content[random() % content.size()] = "\n 1a"[random() % 4];
    read(content, {.max_doc_bytes = random() % 2 == 0 ? 10U : 1000U});  // must be the same for all pieces
  }
}

TEST_F(Arc, MetadataOfWatIsTheTextOfItsPayload) {
  const auto metadata = [](const std::string& type, const std::string& block) {
    return fmt::format(
        "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: http://a/\r\nContent-Type: {}\r\nContent-Length: "
        "{}\r\n\r\n{}\r\n\r\n",
        type, block.size(), block);
  };
  const Collected found =
      collect({.paths = {write("a.warc.wat.gz", gzip(metadata("application/json", R"({"Envelope": 1})")) +
                                                    gzip(metadata("application/warc-fields", "a: b")))}});
  EXPECT_EQ(found.texts(), Texts{R"({"Envelope": 1})"});
  EXPECT_EQ(found.report.other_skipped, 1U);
}

TEST_F(Arc, KeptRecordsAreWrittenByteForByte) {
  const std::string kept = kArcHead + arc_page("http://a/", "keep");
  const std::string dropped = arc_page("http://b/", "drop");
  const InputOptions options{
      .paths = {write("a.arc", kept + dropped), write("b.arc.gz", gzip(kept) + gzip(dropped) + gzip(kept))}};
  fs::create_directory(at("out"));
  Context context;
  MemoryBudget budget(context);
  const CutDocument cut = [](DocId, std::string_view text) -> TextCuts {
    return {.ranges = {}, .offset = 0, .drop = text == "drop"};
  };
  EXPECT_EQ(rewrite_documents(options, context, budget, at("out"), cut).dropped, 2U);
  EXPECT_EQ(unpacked(at("out/a.arc")), kept);
  EXPECT_EQ(unpacked(at("out/b.arc.gz")), kept + kept);
}

}  // namespace
}  // namespace refrain::corpus
