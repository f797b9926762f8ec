#include "corpus/files/decompress.h"

#include <cstdlib>
#include <fstream>
#include <random>

#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

std::string unpack(const std::string& path, std::size_t step) {
  Context context;
  context.threads = 1;
  context.memory_bytes = kMinMemoryBytes;
  MemoryBudget budget(context);
  ByteStream stream(budget);
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

// What the programs of the same names make of it.
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
  const auto with_window = [](int log) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, log);
    std::string packed(1000, '\0');
    ZSTD_outBuffer out{packed.data(), packed.size(), 0};
    ZSTD_inBuffer in{"text", 4, 0};
    ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);  // so that the size of the content is not known
    ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
    ZSTD_freeCCtx(context);
    packed.resize(out.pos);
    return packed;
  };
  EXPECT_EQ(unpack(write("a", with_window(20)), 10), "text");
  try {
    unpack(write("a", with_window(27)), 10);
    ADD_FAILURE() << "128 MiB fit in 64 MiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
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
