#include "corpus/source/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "corpus/files/walk.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

// Replaces standard input by this file until the end of the scope.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(dup(STDIN_FILENO)) {
    const int file = open(path.c_str(), O_RDONLY);
    dup2(file, STDIN_FILENO);
    close(file);
  }
  ~StandardInput() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

// Root may read everything, so tests of permissions change the user.
class Unprivileged {
 public:
  Unprivileged() : root_(geteuid() == 0) { EXPECT_TRUE(!root_ || seteuid(65534) == 0); }
  ~Unprivileged() { EXPECT_TRUE(!root_ || seteuid(0) == 0); }

 private:
  bool root_;
};

// The format by the name; `automatic` if the content decides.
Format named_format(const InputOptions& options, std::string_view path) {
  const InputFormat* const format = format_of(options, path);
  return format == nullptr ? Format::automatic : format->id;
}

TEST_F(Corpus, FoldersAreReadInByteOrderDescendingWhereTheNameStands) {
  for (const std::string name : {"a.txt", "a/z", "a/b/c", "a-", "B", "\xc3\xa9", "z/1", "z/10", "z/2"})
    write("docs/" + name, "text of " + name);
  const Collected found = collect({.paths = {at("docs"), at("docs/"), at("docs/z/1")}});
  Texts expected;
  for (const std::string name : {"B", "a/b/c", "a/z", "a-", "a.txt", "z/1", "z/10", "z/2", "\xc3\xa9"})
    expected.push_back(at("docs") + "/" + name);
  const Texts once = expected;
  expected.insert(expected.end(), once.begin(), once.end());
  expected.push_back(at("docs/z/1"));
  EXPECT_EQ(found.ids(), expected);
  EXPECT_EQ(found.texts()[1], "text of a/b/c");
  EXPECT_EQ(found.report.files, 19U);
}

TEST_F(Corpus, AListingFixesTheFilesThatAreRead) {
  write("in/a", "first");
  write("in/b/c", "second");
  SourceOptions options(InputOptions{.paths = {at("in")}});
  const Context context{.memory_bytes = kMinMemoryBytes, .threads = 3};
  options.listing = list_input(options, context);
  write("in/a2", "too late");
  write("in/b/c", "second, which has grown");
  EXPECT_EQ(collect(options).texts(), (Texts{"first", "second, which has grown"}));
  std::filesystem::remove(at("in/b/c"));
  EXPECT_EQ(refusal(options)->code(), Errc::io);
}

TEST_F(Corpus, AListingThatNeedsMuchMemoryIsNotMade) {
  const Context context{.memory_bytes = kMinMemoryBytes, .threads = 3};
  for (unsigned i = 0; i < 12'000; ++i) write(fmt::format("in/{:0240}", i), "");
  EXPECT_EQ(list_input({.paths = {at("in")}}, context), nullptr);
}

TEST_F(Corpus, HiddenBinaryAndSpecialFilesInFoldersAreCountedNotRead) {
  using std::string_literals::operator""s;
  const std::string binary = write("in/binary", "a\0b"s);
  const std::string late = write("in/late", std::string(8192, 'x') + "\0"s);
  write("in/packed", gzip("x\0"s));
  const std::string text = write("in/text", "text");
  write("in/.hidden", "x");
  write("in/.git/config", "x");
  write("in/empty", "");
  std::filesystem::create_symlink(text, at("in/link"));
  std::filesystem::create_directory_symlink(at("in"), at("in/loop"));
  std::filesystem::create_symlink("nowhere", at("in/broken"));
  std::filesystem::create_symlink("itself", at("in/itself"));
  ASSERT_EQ(mkfifo(at("in/pipe").c_str(), 0666), 0);
  const Collected found = collect({.paths = {at("in")}});
  EXPECT_EQ(found.ids(), (Texts{at("in/empty"), late, text}));
  const std::string inside = ": link: its target is in the input itself";
  const std::string circle = ": link: its target cannot be reached: Too many levels of symbolic links";
  const std::string nul = ": binary file: has a NUL in its first 8 KiB; to read it anyway, give `binary`";
  EXPECT_EQ(found.skipped, (Texts{at("in/.git") + ": hidden folder: its name begins with a dot",
                                  at("in/.hidden") + ": hidden file: its name begins with a dot", binary + nul,
                                  at("in/broken") + ": dangling link: its target does not exist",
                                  at("in/itself") + circle, at("in/link") + inside, at("in/loop") + inside,
                                  at("in/packed") + nul, at("in/pipe") + ": named pipe: not a regular file"}));
  EXPECT_EQ(found.documents[0].text, "");
  EXPECT_EQ(found.report.hidden_skipped, 2U);
  EXPECT_EQ(found.report.special_skipped, 5U);
  EXPECT_EQ(found.report.binary_skipped, 2U);
  EXPECT_EQ(found.report.files, 3U);
  EXPECT_EQ(collect({.paths = {at("in")}, .binary = true}).documents.size(), 5U);
  EXPECT_EQ(collect({.paths = {binary, at("in/link"), at("in/.hidden")}}).texts(), (Texts{"a\0b"s, "text", "x"}));
}

TEST_F(Corpus, TheNameDecidesTheFormat) {
  EXPECT_EQ(named_format({}, "a.jsonl"), Format::jsonl);
  EXPECT_EQ(named_format({}, "A.JSONL.GZ"), Format::jsonl);
  EXPECT_EQ(named_format({}, "a.pq"), Format::parquet);
  EXPECT_EQ(named_format({}, "a.ndjson.zstd"), Format::jsonl);
  EXPECT_EQ(named_format({}, "a.csv.gz"), Format::csv);
  EXPECT_EQ(named_format({}, "a.tsv.zst"), Format::tsv);
  EXPECT_EQ(named_format({}, "a.txt.gz"), Format::files);
  EXPECT_EQ(named_format({}, "jsonl"), Format::files);
  EXPECT_EQ(named_format({}, "a.json"), Format::automatic);  // its content decides
  EXPECT_EQ(named_format({}, "a.JSON.gz"), Format::automatic);
  EXPECT_EQ(named_format({.paths = {}, .text_field = "text"}, "-"), Format::jsonl);
  EXPECT_EQ(named_format({}, "-"), Format::lines);
  EXPECT_EQ(named_format({.paths = {}, .id_field = "id"}, "-"), Format::jsonl);
  EXPECT_EQ(named_format({.paths = {}, .text_field = "body"}, "-"), Format::jsonl);
  EXPECT_EQ(named_format({.paths = {}, .format = Format::lines, .id_field = "id"}, "-"), Format::lines);
  write("in/a.jsonl", "{\"text\":\"json\",\"id\":1}\n");
  write("in/b.txt.zst", zstd("whole\nfile"));
  write("in/c.csv", "text,id\ncsv,2\n");
  write("in/d", "other");
  const Collected found = collect({.paths = {at("in")}});
  EXPECT_EQ(found.texts(), (Texts{"json", "whole\nfile", "csv", "other"}));
  EXPECT_EQ(found.ids(), (Texts{"<ordinal>", at("in/b.txt.zst"), "<ordinal>", at("in/d")}));
  EXPECT_EQ(collect({.paths = {at("in")}, .id_field = "id"}).ids(), (Texts{"1", at("in/b.txt.zst"), "2", at("in/d")}));
  EXPECT_EQ(collect({.paths = {at("in")}, .format = Format::lines}).texts(),
            (Texts{"{\"text\":\"json\",\"id\":1}", "whole", "file", "text,id", "csv,2", "other"}));
}

TEST_F(Corpus, StandardInputIsLinesOrOneDocument) {
  const std::string path = write("a", "one\ntwo\n");
  {
    const StandardInput input(path);
    EXPECT_EQ(collect({.paths = {"-"}}, 3, {.piece_bytes = 16}).texts(), (Texts{"one", "two"}));
  }
  const StandardInput input(path);
  const Collected found = collect({.paths = {"-"}, .format = Format::files}, 2, {});
  EXPECT_EQ(found.texts(), (Texts{"one\ntwo\n"}));
  EXPECT_EQ(found.ids(), (Texts{"-"}));
}

TEST_F(Corpus, PathsThatMakeNoSenseAreRefusedBeforeAnythingIsRead) {
  const std::string good = write("good.csv", "no such column\n");
  EXPECT_EQ(refusal({})->code(), Errc::invalid_argument);
  EXPECT_EQ(refusal({.paths = {"-", "-"}})->code(), Errc::invalid_argument);
  EXPECT_EQ(refusal({.paths = {good, ""}})->code(), Errc::not_found);
  const auto error = refusal({.paths = {good, at("missing")}});
  EXPECT_EQ(error->code(), Errc::not_found);
  EXPECT_TRUE(std::string_view(error->what()).starts_with(at("missing") + ": cannot open: No such file"))
      << error->what();
  const std::string secret = write("secret", "x");
  ASSERT_EQ(chmod(secret.c_str(), 0), 0);
  const Unprivileged somebody;
  EXPECT_EQ(refusal({.paths = {good, secret}})->code(), Errc::io);
}

TEST_F(Corpus, WhatCannotBeReadInsideAFolderEndsTheRunUnlessItMayBeLeftOut) {
  write("in/a", "first");
  ASSERT_EQ(chmod(write("in/b", "x").c_str(), 0), 0);
  write("in/c.gz", gzip(std::string(100, 'x'), 20));
  write("in/d/x", "x");
  ASSERT_EQ(chmod(at("in/d").c_str(), 0), 0);
  ASSERT_EQ(chmod(write("in/e.jsonl", "{}").c_str(), 0), 0);
  write("in/f", "last");
  {
    const Unprivileged somebody;
    const std::optional<Error> error = refusal({.paths = {at("in")}});
    EXPECT_EQ(error->code(), Errc::io);
    EXPECT_TRUE(std::string_view(error->what()).starts_with(at("in/b") + ": cannot open: Permission denied"));
    const InputOptions lenient{.paths = {at("in")}, .skip_unreadable = true};
    const Collected found = collect(lenient);
    EXPECT_EQ(found.texts(), (Texts{"first", "<bad>", "last"}));
    EXPECT_EQ(found.complaints(),
              (Texts{at("in/c.gz") + ":0: truncated gzip data; download or create the file again"}));
    Texts left_out;
    for (const BadRecord& file : found.report.unreadable) left_out.push_back(file.path + ": " + file.reason);
    EXPECT_EQ(left_out, (Texts{at("in/b") + ": cannot open: Permission denied",
                               at("in/d") + ": cannot open the folder: Permission denied",
                               at("in/e.jsonl") + ": cannot open: Permission denied"}));
    EXPECT_EQ(found.report.files, 2U);
    // Another reading skips the same files, and nothing else.
    const SourceOptions same = reread_options(lenient, found.report);
    EXPECT_FALSE(same.skip_unreadable);
    EXPECT_EQ(collect(same).texts(), found.texts());
  }
  EXPECT_EQ(refusal({.paths = {at("in/a"), at("in/c.gz")}})->code(), Errc::bad_input);
  std::filesystem::remove(at("in/c.gz"));
  {
    const Unprivileged somebody;
    EXPECT_EQ(refusal({.paths = {at("in")}, .format = Format::lines})->code(), Errc::io);
    const Collected found = collect({.paths = {at("in")}, .format = Format::lines, .skip_unreadable = true});
    EXPECT_EQ(found.texts(), (Texts{"first", "last"}));
    EXPECT_EQ(found.report.unreadable.size(), 3U);
  }
  ASSERT_EQ(chmod(at("in/d").c_str(), 0755), 0);
}

TEST_F(Corpus, LargeAndSmallFilesComeInOrder) {
  Texts expected;
  std::mt19937 random(6);
  for (int i = 100; i < 400; ++i) {
    const std::size_t size = i % 50 == 0 ? 3 << 20 : random() % 5000;
    expected.emplace_back(size, static_cast<char>('a' + i % 26));
    write("in/" + std::to_string(i), i % 7 == 0 ? gzip(expected.back()) : expected.back());
  }
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    for (const std::size_t piece_bytes : {100U, 70000U, 0U})
      EXPECT_TRUE(collect({.paths = {at("in")}}, threads, {.piece_bytes = piece_bytes}).texts() == expected);
}

TEST_F(Corpus, FilesLongerThanTheLimitAreBad) {
  const std::string path = write("a", std::string(101, 'x'));
  const Collected found = collect({.paths = {write("b", std::string(100, 'x')), path}, .max_doc_bytes = 100});
  EXPECT_EQ(found.report.documents, 1U);
  EXPECT_EQ(found.complaints(), (Texts{path + ":0: longer than `max_doc_bytes` (100 bytes)"}));
}

TEST_F(Corpus, ReasonsSpellOptionsAsTheCallerDoes) {
  write("in/long", std::string(101, 'x'));
  write("in/zero", std::string(10, '\0'));
  Context context;
  context.threads = 1;
  context.spell = [](std::string_view option) { return "--" + std::string(option); };
  MemoryBudget budget(context);
  Texts skipped;
  const BatchWork work = [](unsigned, Batch&) { return InOrder{}; };
  const InputOptions options = {.paths = {at("in")}, .max_doc_bytes = 100};
  const ReadReport report = read_documents(
      options, context, budget, work, ReaderTuning(),
      {.all_may_be_bad = true, .skipped = [&](const SkippedFile& file) { skipped.push_back(file.reason); }});
  EXPECT_EQ(report.examples.at(0).reason, "longer than --max_doc_bytes (100 bytes)");
  EXPECT_EQ(skipped, (Texts{"has a NUL in its first 8 KiB; to read it anyway, give --binary"}));
}

TEST_F(Corpus, OnlyTheFirstTenBadRecordsAreExamples) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += i % 2 == 0 ? "{\"text\":\"good\"}\n" : "bad\n";
  const std::string a = write("a.jsonl", lines);
  const std::string b = write("b.jsonl", lines);
  const Collected found = collect({.paths = {a, b}});
  EXPECT_EQ(found.report.bad_records, 100U);
  EXPECT_EQ(found.report.documents, 100U);
  ASSERT_EQ(found.report.examples.size(), ReadReport::kMaxExamples);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(found.report.examples[i].line, 2 * i + 2);
}

TEST_F(Corpus, StrictRefusesTheFirstBadRecordInInputOrder) {
  std::string good;
  for (int i = 0; i < 500; ++i) good += "{\"text\":\"good\"}\n";
  const std::string a = write("a.jsonl", good + "{}\n" + good);
  const std::string b = write("b.jsonl", "{}\n{}\n");
  const std::string c = write("c.csv", "nothing\n");
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    for (const std::size_t piece_bytes : {64U, 0U}) {
      const auto error = refusal({.paths = {a, b, c}, .strict = true}, threads, {.piece_bytes = piece_bytes});
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), Errc::bad_input);
      EXPECT_TRUE(std::string_view(error->what()).starts_with(a + ":501: no field 'text'; ")) << error->what();
    }
}

TEST_F(Corpus, AnExceptionFromTheWorkEndsTheReading) {
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "line\n";
  const std::string path = write("in/a", lines);
  for (const Format format : {Format::lines, Format::files})
    for (const unsigned threads : {1U, 2U, 8U}) {
      Context context;
      context.threads = threads;
      MemoryBudget budget(context);
      std::atomic<int> calls{0};
      const auto fails = [&](bool in_order) {
        calls = 0;
        const BatchWork work = [&](unsigned, Batch&) -> InOrder {
          // An Error that a file could also have caused.
          const auto fail = [] { throw Error(Errc::io, "the caller's"); };
          if (in_order) return [fail](DocId) { fail(); };
          if (++calls > (format == Format::lines ? 20 : 0)) fail();
          return [](DocId) {};
        };
        try {
          read_documents(InputOptions{.paths = {at("in")}, .format = format}, context, budget, work,
                         {.piece_bytes = 64});
        } catch (const Error& error) {
          return std::string(error.what());
        }
        return std::string("nothing thrown");
      };
      EXPECT_EQ(fails(false), "the caller's");
      EXPECT_EQ(fails(true), "the caller's");
    }
}

// While one worker fails, another may be looking for files without the lock, and find none.
TEST_F(Corpus, AFailureWhileTheLastFilesAreLookedForWaitsForNobody) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "line\n";
  write("in/a", lines);
  const BatchWork work = [&](unsigned, Batch&) -> InOrder { throw Error(Errc::io, "the caller's"); };
  for (int round = 0; round < 2000; ++round) {
    Context context;
    context.threads = 2 + static_cast<unsigned>(round) % 7;
    MemoryBudget budget(context);
    EXPECT_THROW(read_documents(InputOptions{.paths = {at("in")}, .format = Format::lines}, context, budget, work,
                                {.piece_bytes = 64}),
                 Error);
  }
}

TEST_F(Corpus, TheStopTokenEndsTheReading) {
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "line\n";
  const std::string path = write("a", lines);
  for (const unsigned threads : {1U, 3U}) {
    std::stop_source stop;
    Context context;
    context.threads = threads;
    context.stop = stop.get_token();
    MemoryBudget budget(context);
    std::atomic<int> calls{0};
    try {
      read_documents(InputOptions{.paths = {path}, .format = Format::lines}, context, budget,
                     [&](unsigned, Batch&) -> InOrder {
                       if (++calls == 10) stop.request_stop();
                       return nullptr;
                     },
                     {.piece_bytes = 64});
      ADD_FAILURE() << "was not stopped";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::interrupted);
    }
    EXPECT_LT(calls, 20);
  }
}

TEST_F(Corpus, OneSlowPieceDoesNotLetTheOthersRunAheadForEver) {
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += "line\n";
  Context context;
  context.threads = 4;
  MemoryBudget budget(context);
  std::atomic<int> begun{0};
  std::atomic<int> begun_meanwhile{0};
  InputOptions options{.paths = {write("a", "slow\n" + lines), write("b", lines)}, .format = Format::lines};
  read_documents(options, context, budget,
                 [&](unsigned, Batch& batch) -> InOrder {
                   ++begun;
                   if (batch.texts[0] == "slow") {
                     std::this_thread::sleep_for(std::chrono::milliseconds(200));
                     begun_meanwhile = begun.load();
                   }
                   return nullptr;
                 },
                 {.piece_bytes = 64, .max_waiting = 5});
  // A piece may consist of several batches.
  EXPECT_LT(begun_meanwhile, 100);
}

TEST_F(Corpus, ProgressAddsUpToTheBytesOfTheFiles) {
  write("in/a.jsonl", "{\"text\":\"x\"}\n");
  write("in/b", "whole");
  write("in/c/d.gz", gzip("whole"));
  Context context;
  context.threads = 2;
  ProgressUpdate last;
  context.progress = [&](const ProgressUpdate& update) {
    last = update;
    EXPECT_EQ(update.stage, "read");
    EXPECT_EQ(update.unit, "bytes");
  };
  MemoryBudget budget(context);
  const ReadReport report = read_documents(InputOptions{.paths = {at("in")}}, context, budget,
                                           [](unsigned, Batch&) -> InOrder { return nullptr; });
  EXPECT_EQ(last.done, last.total);
  EXPECT_EQ(last.total, report.bytes);
  EXPECT_EQ(report.hidden_skipped, 0U);
}

TEST_F(Corpus, LongRawRecordsAreBookedWhileTheyAreStillThere) {
  Texts expected;
  std::string lines;
  InputOptions options{.paths = {at("files")}};
  const auto text_of = [](int i) {
    return std::string(i % 3 == 0 ? 40000 : 5, static_cast<char>('a' + i % 26)) + std::to_string(i);
  };
  for (int i = 0; i < 30; ++i) {
    expected.push_back(text_of(i));
    write(fmt::format("files/{:02}", i), gzip(text_of(i)));  // small when compressed
  }
  for (int i = 0; i < 100; ++i) {
    expected.push_back(text_of(i));
    lines += "{\"text\":\"" + text_of(i) + "\"}\n";
  }
  options.paths.push_back(write("lines.jsonl", lines));
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    Context context;
    context.threads = threads;
    MemoryBudget budget(context);
    Texts texts;
    std::atomic<unsigned> at_once = 0;
    const BatchWork work = [&](unsigned, Batch& batch) -> InOrder {
      Texts kept;
      for (std::size_t i = 0; i < batch.texts.size(); ++i) kept.emplace_back(batch.texts[i]);
      if (!batch.at_once) return [&, kept](DocId) { texts.insert(texts.end(), kept.begin(), kept.end()); };
      ++at_once;
      return [&, &now = batch](DocId first) {
        EXPECT_EQ(first, texts.size());
        for (std::size_t i = 0; i < now.texts.size(); ++i) texts.emplace_back(now.texts[i]);
      };
    };
    const ReadReport report =
        read_documents(options, context, budget, work, {.piece_bytes = 10000, .share_bytes = 10000}, {.raw = true});
    EXPECT_EQ(report.documents, expected.size());
    EXPECT_TRUE(texts == expected);
    EXPECT_GE(at_once, 44U);
  }
}

TEST_F(Corpus, ManyThreadsWithLittleMemoryStillRead) {
  InputOptions options;
  Texts expected;
  for (int i = 0; i < 40; ++i) {
    const std::string text(100000, static_cast<char>('a' + i % 26));
    std::string lines;
    for (int line = 0; line < 10; ++line) {
      lines += "{\"text\":\"" + text + "\"}\n";
      expected.push_back(text);
    }
    options.paths.push_back(write(std::to_string(i) + ".jsonl", zstd(lines)));
  }
  EXPECT_TRUE(collect(options, 16, {}, kMinMemoryBytes).texts() == expected);
}

}  // namespace
}  // namespace refrain::corpus
