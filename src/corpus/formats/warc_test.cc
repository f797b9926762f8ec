#include "corpus/formats/warc.h"

#include <fmt/format.h>

#include <random>

#include "base/files/file.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {
namespace fs = std::filesystem;

std::string record(const std::string& type, const std::string& uri, const std::string& content_type,
                   const std::string& block, const std::string& more = "") {
  return fmt::format(
             "WARC/1.0\r\nWARC-Type: {}\r\nWARC-Target-URI: {}\r\n{}Content-Type: {}\r\nContent-Length: {}\r\n\r\n{}",
             type, uri, more, content_type, block.size(), block) +
         "\r\n\r\n";
}

std::string response(const std::string& uri, const std::string& headers, const std::string& body,
                     const std::string& status = "200 OK") {
  return record("response", uri, "application/http; msgtype=response",
                "HTTP/1.1 " + status + "\r\n" + headers + "\r\n" + body);
}

std::string page(const std::string& uri, const std::string& body) {
  return response(uri, "Content-Type: text/html; charset=UTF-8\r\n", body);
}

std::string wet(const std::string& uri, const std::string& text) {
  return record("conversion", uri, "text/plain", text);
}

const std::string kInfo = record("warcinfo", "x", "application/warc-fields", "software: test\r\n");
const std::string kRequest =
    record("request", "http://a/", "application/http; msgtype=request", "GET / HTTP/1.1\r\n\r\n");

class Warc : public Corpus {
 protected:
  Collected read(const std::string& content, InputOptions options = {}) {
    options.paths = {write("a.warc", content)};
    return collect(options);
  }
};

TEST_F(Warc, PagesTextsAndConversionsAreDocumentsAndOthersArePassedOver) {
  const Collected found =
      read(kInfo + kRequest + page("http://a/", "<title>A</title><p>one&amp;two") +
           record("resource", "file:///b", "text/plain", "a\r\nb") + wet("<http://c/>", "conv\xc3\xa9rsion\n") +
           response("http://d/", "content-type:text/plain\r\n", "plain") +
           response("http://e/", "Content-Type: image/png\r\n", "\x89PNG") +
           response("http://f/", "Content-Type: text/html\r\n", "moved", "301 Moved") + response("http://g/", "", "x") +
           record("metadata", "http://a/", "text/plain", "x") + record("revisit", "http://a/", "application/http", "") +
           record("response", "dns:a", "text/dns", "a") +
           response("http://h/", "Content-Type: application/xhtml+xml\r\n", "<p>x"));
  EXPECT_EQ(found.texts(), (Texts{"A\none&two", "a\r\nb", "conv\xc3\xa9rsion\n", "plain", "x"}));
  EXPECT_EQ(found.ids(), (Texts{"http://a/", "file:///b", "http://c/", "http://d/", "http://h/"}));
  EXPECT_EQ(found.report.other_skipped, 8U);
  EXPECT_EQ(found.report.bad_records, 0U);
}

TEST_F(Warc, NamesTellTheFormat) {
  write("in/a.warc", page("http://a/", "a"));
  write("in/b.warc.gz", gzip(page("http://b/", "b")) + gzip(page("http://c/", "c")));
  write("in/d.warc.wet.zst", zstd(wet("http://d/", "d")));
  EXPECT_EQ(collect({.paths = {at("in")}}).texts(), (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(collect({.paths = {write("x", wet("http://d/", "d"))}, .format = Format::warc}).texts(), Texts{"d"});
}

TEST_F(Warc, HeadersAreIdsAndFields) {
  const std::string content = record("conversion", "http://a/", "text/plain", "a",
                                     "WARC-Record-ID: <urn:uuid:1>\r\nwarc-date:  2026-01-02 \r\n") +
                              record("conversion", "http://b/", "text/plain", "b", "WARC-RECORD-ID: <urn:uuid:2>\r\n") +
                              wet("http://c/", "c");
  const Collected found =
      read(content, {.paths = {}, .id_field = "WARC-Record-ID", .extra_fields = {"WARC-Date", "warc-target-uri"}});
  EXPECT_EQ(found.ids(), (Texts{"<urn:uuid:1>", "<urn:uuid:2>", ""}));
  EXPECT_EQ(found.documents[0].fields, (Texts{"string:2026-01-02", "string:http://a/"}));
  EXPECT_EQ(found.documents[1].fields, (Texts{"missing:", "string:http://b/"}));
  EXPECT_EQ(found.complaints(), Texts{at("a.warc") + ":0: no header 'WARC-Record-ID'"});
}

TEST_F(Warc, EncodingsAreUndone) {
  const std::string type = "Content-Type: text/html\r\n";
  const std::string html = "<p>" + std::string(5000, 'x');
  const std::string text = html.substr(3);
  std::string chunks;
  for (std::size_t at = 0; at < html.size(); at += 999)
    chunks += fmt::format("{:X};a=b\r\n{}\r\n", std::min<std::size_t>(999, html.size() - at), html.substr(at, 999));
  const std::string packed = gzip(html);
  const std::string packed_chunks = fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", packed.size(), packed);
  // A zlib stream, and the same without its header.
  std::string deflated(compressBound(html.size()), '\0');
  uLongf size = deflated.size();
  compress(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(html.data()), html.size());
  deflated.resize(size);
  const Collected found =
      read(response("1", type + "Transfer-Encoding: chunked\r\n", chunks + "0\r\n\r\n") +
           response("2", type + "Content-Encoding: gzip\r\n", packed) +
           response("3", type + "transfer-encoding: Chunked\r\ncontent-encoding: GZIP\r\n", packed_chunks) +
           response("4", type + "Content-Encoding: deflate\r\n", deflated) +
           response("5", type + "Content-Encoding: deflate\r\n", deflated.substr(2, deflated.size() - 6)) +
           // One that the archive already decoded, and one that is cut off.
           response("6", type + "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", html) +
           response("7", type + "Transfer-Encoding: chunked\r\n", chunks.substr(0, 3 + 4 + 2 + 500)) +
           response("8", type + "Content-Encoding: br\r\n", "zzz") +
           response("9", type + "Content-Encoding: gzip\r\n", packed.substr(0, packed.size() / 2)));
  EXPECT_EQ(found.texts(), (Texts{text, text, text, text, text, text, text.substr(0, 497), "<bad>", "<bad>"}));
  EXPECT_EQ(found.complaints(), (Texts{at("a.warc") + ":0: 8: unsupported content encoding 'br'",
                                       at("a.warc") + ":0: 9: damaged content encoding"}));
}

TEST_F(Warc, CharsetsAreToldByHeadersAndPages) {
  const Collected found = read(response("1", "Content-Type: text/html; charset=ISO-8859-1\r\n", "caf\xe9") +
                               response("2", "Content-Type: text/html\r\n", "<meta charset=windows-1251><p>\xcf\xf0") +
                               response("3", "Content-Type: text/plain;charset=\"windows-1252\"\r\n", "\x80") +
                               response("4", "Content-Type: text/plain\r\n", "\xef\xbb\xbf\xc3\xa9") +
                               response("5", "Content-Type: text/html; charset=klingon\r\n", "x"));
  EXPECT_EQ(found.texts(), (Texts{"caf\xc3\xa9", "\xd0\x9f\xd1\x80", "\xe2\x82\xac", "\xc3\xa9", "<bad>"}));
  EXPECT_EQ(found.complaints(), Texts{at("a.warc") + ":0: 5: unknown charset 'klingon'"});
}

TEST_F(Warc, ReadingGoesOnBehindDamage) {
  const std::string a = wet("a", "first");
  const std::string b = wet("b", "second\nWARC/1.0 inside\n");
  const std::string c = wet("c", "third");
  const std::string bad = "<bad>";
  const std::string reason = at("a.warc") + ":0: incomplete record of a web archive";
  const auto replaced = [](std::string text, std::string_view old, std::string_view by) {
    return text.replace(text.find(old), old.size(), by);
  };
  const std::string second = "second\nWARC/1.0 inside\n";
  EXPECT_EQ(read(a + b + c).texts(), (Texts{"first", second, "third"}));
  EXPECT_EQ(read("junk\n" + a + "\r\n" + c).texts(), (Texts{bad, "first", "third"}));
  EXPECT_EQ(read(a + "junk\r\n" + c + "\n\n").texts(), (Texts{"first", bad, "third"}));
  // A length that is missing, not a number, too small, or too large.
  for (const std::string length : {"Content-Longth: 5", "Content-Length: x5", "Content-Length: 4", "Content-Length: 10",
                                   "Content-Length: 60", "Content-Length: "}) {
    const Collected found = read(replaced(a, "Content-Length: 5", length) + c + c);
    EXPECT_EQ(found.texts(), (Texts{bad, "third", "third"})) << length;
    EXPECT_EQ(found.complaints(), Texts{reason});
  }
  EXPECT_EQ(read(replaced(a, "\r\n\r\n", "\r\n") + c + a).texts(), (Texts{bad, "third", "first"}));
  EXPECT_EQ(read(c + a.substr(0, a.size() - 7)).texts(), (Texts{"third", bad}));
  EXPECT_EQ(read(a + b.substr(0, b.size() - 4)).texts(), (Texts{"first", second}));
  EXPECT_EQ(read(a + b.substr(0, 30)).texts(), (Texts{"first", bad}));
  EXPECT_EQ(read(std::string(100, '\n') + a).texts(), (Texts{bad, "first"}));
  EXPECT_EQ(read("").texts(), Texts{});
  EXPECT_EQ(read("\r\n").texts(), Texts{});
  EXPECT_EQ(read(response("x", "", "") + record("response", "y", "application/http", "no response")).texts(),
            Texts{bad});
  // Line breaks of one byte.
  std::string unix = a + c;
  std::erase(unix, '\r');
  EXPECT_EQ(read(unix).texts(), (Texts{"first", "third"}));
}

TEST_F(Warc, LongRecordsArePassedOver) {
  const std::uint64_t most = 100;  // of a text; a record may have twice that and 64 KiB
  const std::string long_text(std::size_t{70} << 10, 'x');
  const std::string a = wet("a", "first");
  const std::string c = wet("c", "third");
  const InputOptions options{.paths = {}, .max_doc_bytes = most};
  const std::string reason = at("a.warc") + ":0: longer than `max_doc_bytes` (100 bytes)";
  for (const std::string& content :
       {a + wet("b", long_text) + c, a + wet("b", std::string(101, 'x')) + c, a + wet("b", long_text + c) + c,
        a + std::string(80000, 'x') + "\n" + c, a + wet("b", long_text + "\r\n") + "\r\n" + c,
        a + page("b", "<p>" + std::string(101, 'x')) + c}) {
    const Collected found = read(content, options);
    EXPECT_EQ(found.texts(), (Texts{"first", "<bad>", "third"}));
    EXPECT_EQ(found.complaints(), Texts{reason});
  }
  const std::string endless = "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 18446744073709551615\r\n\r\nx";
  EXPECT_EQ(read(a + endless, options).complaints(), Texts{reason});
  EXPECT_EQ(read(a + wet("b", long_text).substr(0, 70000), options).texts(), (Texts{"first", "<bad>"}));
  // A small page that becomes a large one when it is decompressed.
  const Collected bomb =
      read(response("b", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", gzip(std::string(1 << 20, ' '))) + c,
           options);
  EXPECT_EQ(bomb.complaints(), Texts{at("a.warc") + ":0: b: content too long when decompressed"});
}

TEST_F(Warc, ADamagedGzipMemberCostsItsRecordAlone) {
  const std::string a = gzip(wet("a", "first"));
  const std::string c = gzip(wet("c", "third"));
  std::string text;
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) text += static_cast<char>('a' + random() % 26);
  const std::string b = gzip(wet("b", text));
  std::string zeroed = b;
  std::fill(zeroed.begin() + 1000, zeroed.begin() + 1100, '\0');
  for (const std::string& damaged : {b.substr(0, 1500), zeroed, std::string("garbage"), b.substr(0, 12)}) {
    const Collected found = collect({.paths = {write("x.warc.gz", a + damaged + c)}});
    EXPECT_EQ(found.texts(), (Texts{"first", "<bad>", "third"})) << damaged.size();
  }
  EXPECT_EQ(collect({.paths = {write("x.warc.gz", a + b.substr(0, 1500))}}).texts(), (Texts{"first", "<bad>"}));
}

TEST_F(Warc, RandomDamageIsTheSameForAnyPieces) {
  std::mt19937 random(11);
  static constexpr std::string_view kParts[] = {
      "\r\n", "\n", "\r\n\r\n", "WARC/1.0\r\n", "\nWARC/", "Content-Length: 3\r\n", "WARC", "\n\n\n\n\n", "x", ""};
  for (int round = 0; round < 60; ++round) {
    std::string content;
    for (std::size_t records = 1 + random() % 8; records > 0; --records) {
      const std::string uri = std::to_string(records);
      const std::size_t kind = random() % 12;
      content += kind == 0   ? kRequest
                 : kind == 1 ? wet(uri, std::string(std::size_t{66} << 10, 'l'))
                 : kind == 2 ? wet(uri, "\r\nWARC/1.0\r\nContent-Length: 2\r\n\r\nab\r\n\r\n")
                 : kind < 6  ? page(uri, "<p>page<p>" + uri)
                             : wet(uri, std::string(random() % 50, 'w'));
    }
    for (std::size_t wounds = random() % 4; wounds > 0; --wounds) {
      const std::size_t at = random() % content.size();
      content.replace(at, random() % 6, kParts[random() % std::size(kParts)]);
    }
    if (random() % 4 == 0) content.resize(random() % content.size());
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Collected found = read(content, {.paths = {}, .max_doc_bytes = 200});  // which compares all ways to read
    if (HasFailure()) break;
    EXPECT_EQ(found.documents.size(), found.report.documents + found.report.bad_records);
  }
}

TEST_F(Warc, MemoryForLargePagesIsTakenInTurns) {
  std::string content;
  for (int i = 0; i < 6; ++i) {
    std::string html;
    for (int j = 0; j < 20000; ++j) html += "<p>word " + std::to_string(j);
    content += response(std::to_string(i), "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", gzip(html));
  }
  const InputOptions options{.paths = {write("a.warc", content)}};
  const Collected one = collect(options, 1, {}, std::uint64_t{192} << 20);
  EXPECT_EQ(one.report.documents, 6U);
  for (const unsigned threads : {3U, 8U})
    expect_same(one, collect(options, threads, {.piece_bytes = 4096}, std::uint64_t{192} << 20));
}

class WarcRewrite : public Warc {
 protected:
  // Drops texts that begin with "d".
  RewriteReport rewrite(const InputOptions& options, unsigned threads, const ReaderTuning& tuning,
                        const Annotations& annotations = {}) {
    fs::remove_all(at("out"));
    fs::create_directory(at("out"));
    Context context;
    context.threads = threads;
    MemoryBudget budget(context);
    const CutDocument cut = [](DocId, std::string_view text) -> TextCuts {
      static constexpr ByteRange kFirst{0, 1};
      return {
          .ranges = {&kFirst, text.starts_with('c') ? std::size_t{1} : 0}, .offset = 0, .drop = text.starts_with('d')};
    };
    return rewrite_documents(options, context, budget, at("out"), cut, tuning, annotations);
  }
};

TEST_F(WarcRewrite, KeptRecordsAreWrittenByteForByteAndPackedOneByOne) {
  const std::vector<std::pair<std::string, bool>> records = {
      {kInfo, true},
      {kRequest, true},
      {page("http://a/", "<p>keep"), true},
      {page("http://b/", "<b>drop"), false},
      {"\r\njunk\r\n", true},
      {wet("http://c/", "drop too"), false},
      {wet("http://d/", std::string(std::size_t{70} << 10, 'd')), true},  // too long to be read
      {wet("http://e/", "x"), true},
      {wet("http://f/", "drop"), false}};
  std::string content;
  std::string expected;
  std::string packed;
  std::size_t members = 0;
  for (const auto& [bytes, kept] : records) {
    content += bytes;
    packed += gzip(bytes);
    if (!kept) continue;
    expected += bytes;
    ++members;
  }
  const InputOptions options{
      .paths = {write("a.warc", content), write("b.warc.gz", packed), write("c.warc.zst", zstd(content))},
      .max_doc_bytes = 100};
  for (const unsigned threads : {1U, 3U})
    for (const std::size_t piece_bytes : {16U, 61U, 1000U, 0U}) {
      const RewriteReport report = rewrite(options, threads, {.piece_bytes = piece_bytes});
      EXPECT_EQ(report.dropped, 9U);
      EXPECT_EQ(unpacked(at("out/a.warc")), expected);
      EXPECT_EQ(unpacked(at("out/b.warc.gz")), expected);
      EXPECT_EQ(unpacked(at("out/c.warc.zst")), expected);
      // Every record is a gzip member of its own.
      const std::string written = read_file(at("out/b.warc.gz"));
      std::size_t found = 0;
      for (std::size_t begin = 0; begin < written.size(); ++found) {
        z_stream stream{};
        inflateInit2(&stream, 16 + MAX_WBITS);
        std::string out(std::size_t{1} << 20, '\0');
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(written.data() + begin));
        stream.avail_in = static_cast<uInt>(written.size() - begin);
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        ASSERT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
        begin += stream.total_in;
        inflateEnd(&stream);
      }
      EXPECT_EQ(found, members);
    }
}

TEST_F(WarcRewrite, WhatIsUnchangedIsCopiedAndWhatIsEmptyIsWritten) {
  const std::string kept = gzip(wet("a", "x") + wet("b", "y"));
  const InputOptions options{.paths = {write("a.warc.gz", kept), write("b.warc.gz", gzip(wet("a", "d")))}};
  rewrite(options, 2, {});
  EXPECT_EQ(read_file(at("out/a.warc.gz")), kept);
  EXPECT_EQ(unpacked(at("out/b.warc.gz")), "");
  EXPECT_TRUE(read_file(at("out/b.warc.gz")).starts_with("\x1f\x8b"));
}

TEST_F(WarcRewrite, CutsAndFieldsAreRefused) {
  const auto refusal_of = [&](const InputOptions& options, const Annotations& annotations) {
    try {
      rewrite(options, 2, {}, annotations);
    } catch (const Error& error) {
      return error.code();
    }
    return Errc::io;
  };
  EXPECT_EQ(refusal_of({.paths = {write("a.warc", wet("a", "x") + wet("b", "cut"))}}, {}), Errc::unsupported);
  const Annotations annotations{{"n"}, [](DocId, std::span<AddedValue>) {}};
  EXPECT_EQ(refusal_of({.paths = {write("a.warc", wet("a", "x"))}}, annotations), Errc::invalid_argument);
}

}  // namespace
}  // namespace refrain::corpus
