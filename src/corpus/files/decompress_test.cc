#include "corpus/files/decompress.h"

#include <malloc.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

std::string unpack(const std::string& path, std::size_t step, bool skip_damage = false) {
  Context context;
  context.threads = 1;
  context.memory_bytes = kMinMemoryBytes;
  MemoryBudget budget(context);
  ByteStream stream(budget);
  if (skip_damage) stream.skip_damage();
  stream.open(path);
  std::string text;
  while (true) {
    const std::size_t have = text.size();
    text.resize(have + step);
    text.resize(have + stream.read(text.data() + have, step));
    if (text.size() < have + step) return text;
  }
}

std::string noise(std::size_t size) {
  std::mt19937 random(5);
  std::string text;
  while (text.size() < size) text += static_cast<char>('a' + random() % 20);
  return text;
}

TEST_F(Corpus, TheFirstBytesTellHowAFileIsPacked) {
  const std::string text = noise(300000);
  const std::string skippable("\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  for (const std::string& packed : {text, gzip(text), zstd(text), skippable + zstd(text)})
    for (const std::size_t step : {999U, 65536U, 300000U, 1000000U})
      EXPECT_TRUE(unpack(write("file.txt", packed), step) == text);
  EXPECT_EQ(unpack(write("empty.gz", ""), 10), "");
  EXPECT_EQ(unpack(write("short", "\x1f\x8b"), 10), "\x1f\x8b");
  EXPECT_EQ(unpack(write("of_nothing", gzip("")), 10), "");
  EXPECT_EQ(unpack(write("of_nothing", zstd("")), 10), "");
}

// The output of the compression program of that name.
std::string packed_by(const std::string& program, const std::string& text, const std::string& folder) {
  const std::string plain = folder + "/plain";
  const std::string packed = folder + "/packed";
  std::ofstream(plain, std::ios::binary) << text;
  EXPECT_EQ(std::system((program + " -c < " + plain + " > " + packed).c_str()), 0);
  std::ifstream file(packed, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Corpus, RarerPackingsAreReadToo) {
  const std::string text = noise(300000);
  for (const std::string program : {"xz", "bzip2", "lz4"}) {
    const std::string packed = packed_by(program, text, at("."));
    const std::string of_nothing = packed_by(program, "", at("."));
    for (const std::size_t step : {999U, 65536U, 1000000U})
      EXPECT_TRUE(unpack(write("a", packed), step) == text) << program;
    EXPECT_EQ(unpack(write("b", of_nothing), 10), "") << program;
    EXPECT_TRUE(unpack(write("c", packed + packed), 70000) == text + text) << program << ": two streams";
    std::string bent = packed;
    bent[bent.size() / 2] = static_cast<char>(bent[bent.size() / 2] ^ 0x55);
    for (const std::string& damaged :
         {packed.substr(0, packed.size() / 2), packed.substr(0, packed.size() - 1), bent, packed + "more behind it"}) {
      try {
        unpack(write("d", damaged), 5000);
        ADD_FAILURE() << program << ": was unpacked";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::bad_input) << error.what();
      }
    }
  }
}

TEST_F(Corpus, ManySmallStreamsShareTheMemoryOfOneDecoder) {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);  // the setting of the programs: a large allocation gets new pages
#endif
  const auto faults = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  constexpr int kPairs = 2000;
  for (const std::string program : {"xz", "bzip2"}) {
    const std::string pair = packed_by(program + " -1", "a", at(".")) + packed_by(program + " -6", "b", at("."));
    std::string file;
    for (int i = 0; i < kPairs; ++i) file += pair;
    write("a", file);
    [[maybe_unused]] const long before = faults();
    EXPECT_EQ(unpack(at("a"), 1000).size(), std::size_t{2} * kPairs) << program;
#ifndef __SANITIZE_ADDRESS__  // which gives every allocation new pages
    EXPECT_LT(faults() - before, kPairs / 2) << program;
#endif
  }
}

TEST_F(Corpus, ManyMembersAndFramesAreOneText) {
  std::string members;
  std::string frames;
  std::string text;
  for (int i = 0; i < 200; ++i) {
    const std::string part = noise(static_cast<std::size_t>(i * 7));
    members += gzip(part);
    frames += zstd(part);
    text += part;
  }
  EXPECT_TRUE(unpack(write("a", members), 1000) == text);
  EXPECT_TRUE(unpack(write("b", frames), 1000) == text);
  EXPECT_TRUE(unpack(write("c", members + std::string(1000, '\0')), 1000) == text) << "padding";
}

TEST_F(Corpus, DamagedPackingIsRefused) {
  const std::string text = noise(200000);
  std::string bent_gzip = gzip(text);
  bent_gzip[bent_gzip.size() / 2] ^= 0x55;
  bent_gzip[bent_gzip.size() - 6] ^= 0x55;
  std::string bent_zstd = zstd(text);
  bent_zstd[6] ^= 0x55;
  for (const std::string& packed :
       {gzip(text, 1000), gzip(text, 12), zstd(text, 1000), zstd(text, 5), gzip(text, gzip(text).size() - 1),
        zstd(text, zstd(text).size() - 1), bent_gzip, bent_zstd, gzip(text) + "more", zstd(text) + "more"}) {
    try {
      unpack(write("a", packed), 5000);
      ADD_FAILURE() << "was unpacked";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      EXPECT_TRUE(std::string_view(error.what()).starts_with(at("a") + ": ")) << error.what();
    }
  }
}

TEST_F(Corpus, AZstdWindowIsDrawnFromTheBudget) {
  const auto with_window = [](int log, const std::string& text) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, log);
    std::string packed(ZSTD_compressBound(text.size()) + 1000, '\0');
    ZSTD_outBuffer out{packed.data(), packed.size(), 0};
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);  // so that the size of the content is not known
    ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
    ZSTD_freeCCtx(context);
    packed.resize(out.pos);
    return packed;
  };
  EXPECT_EQ(unpack(write("a", with_window(20, "text")), 10), "text");
  EXPECT_EQ(unpack(write("a", with_window(27, "text")), 10), "text") << "a window that nothing fills";
  try {
    unpack(write("a", with_window(27, std::string(std::size_t{100} << 20, 'x'))), std::size_t{1} << 20);
    ADD_FAILURE() << "100 MiB fit in 64 MiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
  }
}

TEST_F(Corpus, WhatLooksLikeGzipMembersIsNotInflatedAgainAndAgain) {
  // Each header is followed by a stored block of all later headers up to `tail`, which unpacks to a lot and ends
  // damaged.
  const std::string much(std::size_t{1} << 20, 'x');
  std::string tail = gzip(much).substr(10);
  tail[tail.size() - 6] ^= 0x55;  // a byte of the checksum
  constexpr std::size_t kHeaders = 300;
  std::string file;
  for (std::size_t left = kHeaders; left-- > 0;) {
    const std::size_t size = left * 15;
    file += std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\0", 11);
    for (const std::size_t number : {size, ~size})
      for (const unsigned shift : {0U, 8U}) file += static_cast<char>(number >> shift & 0xFFU);
  }
  const std::string text = unpack(write("a", file + tail + gzip("the end")), 50000, true);
  EXPECT_TRUE(text.ends_with("the end"));
  EXPECT_LT(text.size(), 8 * much.size());
}

TEST_F(Corpus, AMemberThatWasSwallowedIsReadEvenWhereABufferBegins) {
  // The first member is cut off inside a stored block, which extends over the second. Buffers are 64 KiB.
  const std::string cut("\x1f\x8b\x08\0\0\0\0\0\0\x03\0\xff\xff\0\0", 15);
  for (const std::size_t at : {60000U, 65536U, 65537U, 70000U}) {
    const std::string text = unpack(write("a", cut + std::string(at - cut.size(), 'x') + gzip("the end")), 50000, true);
    EXPECT_TRUE(text.ends_with("the end")) << at;
  }
}

TEST_F(Corpus, PackedFilesOfRecordsAreReadSideBySide) {
  InputOptions options;
  Texts expected;
  for (int i = 0; i < 20; ++i) {
    std::string lines;
    for (int line = 0; line < 50 + i * 10; ++line) {
      expected.push_back(std::to_string(i) + "/" + std::to_string(line));
      lines += "{\"text\":\"" + expected.back() + "\"}\n";
    }
    options.paths.push_back(
        write(std::to_string(i) + (i % 2 == 0 ? ".jsonl.gz" : ".ndjson.zst"), i % 2 == 0 ? gzip(lines) : zstd(lines)));
  }
  EXPECT_EQ(collect(options).texts(), expected);
}

TEST_F(Corpus, ARecordFileWithDamagedPackingEndsTheReading) {
  const std::string good = write("in/a.jsonl", "{\"text\":\"x\"}\n");
  const std::string path = write("in/b.jsonl.gz", gzip(noise(100000), 20000));
  for (const unsigned threads : {1U, 8U}) {
    const auto error = refusal({.paths = {at("in")}}, threads, {.piece_bytes = 64});
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Errc::bad_input);
    EXPECT_TRUE(std::string_view(error->what()).starts_with(path + ": truncated gzip data"));
  }
}

}  // namespace
}  // namespace refrain::corpus
