#include "refrain/overrides.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/files/temp.h"
#include "base/hash.h"
#include "refrain/error.h"
#include "verbs/overrides/targets.h"

namespace refrain::verbs::overrides {

namespace {

const std::string kA(32, 'a');
const std::string kB(32, 'b');

// A document as JSON.
std::string named(const std::string& digest, const std::string& id = "") {
  return fmt::format(R"({{"digest": "{}"{}}})", digest, id.empty() ? "" : fmt::format(R"(, "id": "{}")", id));
}

std::string row(unsigned seq, const std::string& op, const std::string& documents, const std::string& more = "") {
  return fmt::format(R"({{"v": 1, "seq": {}, "op": "{}", "documents": [{}]{}}})", seq, op, documents, more) + "\n";
}

std::string undo(unsigned seq, unsigned undoes) {
  return fmt::format(R"({{"v": 1, "seq": {}, "op": "undo", "undoes": {}}})", seq, undoes) + "\n";
}

// The message of the Error(bad_input) that work() throws; empty if it throws none.
std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input) << error.what();
    return error.what();
  }
  return {};
}

std::string parse_complaint(const std::string& text) {
  return complaint([&] { static_cast<void>(parse_overrides(text, "f")); });
}

std::string live_complaint(const std::string& text) {
  return complaint([&] { static_cast<void>(live_overrides(parse_overrides(text, "f"))); });
}

std::vector<std::uint64_t> live_seqs(const std::string& text) {
  std::vector<std::uint64_t> seqs;
  for (const Override& line : live_overrides(parse_overrides(text, "f"))) seqs.push_back(line.seq);
  return seqs;
}

TEST(Overrides, ALineIsReadAndWrittenBack) {
  const std::string text = R"({"v": 1, "seq": 17, "op": "never", "documents": [{"digest": ")" + kA +
                           R"(", "id": "x\"\u00e9"}, {"digest": ")" + kB +
                           R"("}], "by": "ann", "at": "2026-11-19T21:00:00Z", "note": "two\neditions"})" + "\n";
  const std::vector<Override> lines = parse_overrides("\n \r\n" + text, "f");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].seq, 17U);
  EXPECT_EQ(lines[0].op, OverrideOp::never);
  ASSERT_EQ(lines[0].documents.size(), 2U);
  EXPECT_EQ(to_hex(lines[0].documents[0].digest), kA);
  EXPECT_EQ(lines[0].documents[0].id, "x\"é");
  EXPECT_EQ(lines[0].documents[1].id, std::nullopt);
  EXPECT_EQ(lines[0].by, "ann");
  EXPECT_EQ(lines[0].note, "two\neditions");
  EXPECT_EQ(lines[0].place, "f:3");
  const std::vector<Override> again = parse_overrides(to_json(lines[0]), "g");
  EXPECT_EQ(to_json(again.at(0)), to_json(lines[0]));
  EXPECT_EQ(again[0].documents, lines[0].documents);
}

TEST(Overrides, EmptyFilesHoldNoLines) {
  EXPECT_TRUE(parse_overrides("", "f").empty());
  EXPECT_TRUE(parse_overrides("\n\n  \t\r\n", "f").empty());
}

TEST(Overrides, HostileLinesAreRefusedByFileAndLine) {
  const std::string good = row(1, "keep", named(kA));
  const struct {
    std::string line;
    std::string what;
  } kCases[] = {
      {"{", "not JSON"},
      {"{}", "no field 'v'"},
      {"[1]", "not a JSON object"},
      {"null", "not a JSON object"},
      {"\"\xff\"", "not JSON"},
      {std::string(3000, '['), "not JSON"},
      {good.substr(0, good.size() - 3), "not JSON"},
      {R"({"v": 2, "seq": 2, "op": "keep"})", "version 2 is not supported; use a newer version"},
      {R"({"v": "1", "seq": 2, "op": "keep"})", "'v' is not a whole number"},
      {R"({"v": 1, "op": "keep"})", "no field 'seq'"},
      {R"({"v": 1, "seq": -2, "op": "keep"})", "'seq' is not a whole number"},
      {R"({"v": 1, "seq": 2.5, "op": "keep"})", "'seq' is not a whole number"},
      {R"({"v": 1, "seq": 99999999999999999999, "op": "keep"})", "not"},
      {R"({"v": 1, "seq": 2})", "no field 'op'"},
      {R"({"v": 1, "seq": 2, "op": 5})", "'op' is not a string"},
      {R"({"v": 1, "seq": 2, "op": "delete"})", "unknown operation 'delete'; use keep, remove"},
      {R"({"v": 1, "seq": 2, "op": "keep"})", "'keep' names no document"},
      {row(2, "keep", ""), "'keep' names no document"},
      {row(2, "keep", "5"), "a document is not an object"},
      {row(2, "keep", "{}"), "no field 'digest'"},
      {row(2, "keep", named("abc")), "32 hexadecimal digits: 'abc'"},
      {row(2, "keep", named(std::string(32, 'g'))), "32 hexadecimal digits"},
      {row(2, "keep", named(std::string(33, 'a'))), "32 hexadecimal digits"},
      {row(2, "keep", R"({"digest": ")" + kA + R"(", "id": 5})"), "'id' is not a string"},
      {row(2, "keep", R"({"digest": ")" + kA + R"(", "name": "x"})"), "unknown field 'name'"},
      {row(2, "keep", R"({"digest": ")" + kA + R"(", "digest": ")" + kB + R"("})"), "two fields 'digest'"},
      {row(2, "keep", named(kA), R"(, "by": 1)"), "'by' is not a string"},
      {row(2, "keep", named(kA), R"(, "who": "x")"), "unknown field 'who'"},
      {row(2, "keep", named(kA), R"(, "seq": 3)"), "two fields 'seq'"},
      {row(2, "keep", named(kA), R"(, "undoes": 1)"), "'keep' has a field 'undoes'"},
      {R"({"v": 1, "seq": 2, "op": "keep", "documents": {}})", "'documents' is not a list"},
      {row(2, "never", named(kA)), "'never' is about two documents, not 1"},
      {row(2, "never", named(kA) + "," + named(kB) + "," + named(kA)), "'never' is about two documents, not 3"},
      {row(2, "never", named(kA) + "," + named(kA)), "'never' names one text twice; give two ids"},
      {row(2, "never", named(kA, "x") + "," + named(kA)), "'never' names one text twice"},
      {row(2, "never", named(kA, "x") + "," + named(kA, "x")), "'never' names one text twice"},
      {row(2, "note", named(kA)), "'note' has no text"},
      {row(2, "undo", named(kA), R"(, "undoes": 1)"), "'undo' names a line, not documents"},
      {R"({"v": 1, "seq": 2, "op": "undo"})", "no field 'undoes'"},
      {undo(2, 2), "'undoes' is 2, but no earlier line has this 'seq'"},
      {undo(2, 3), "'undoes' is 3, but no earlier line has this 'seq'"},
      {row(1, "keep", named(kA)), "'seq' is 1, after 1"},
      {row(0, "keep", named(kA)), "'seq' is 0, after 1"},
      {good.substr(0, good.size() - 1) + good, "not JSON"},
  };
  for (const auto& one : kCases) {
    const std::string told = parse_complaint(good + one.line);
    EXPECT_TRUE(told.starts_with("f:2: ")) << one.line << ": " << told;
    EXPECT_NE(told.find(one.what), std::string::npos) << one.line << ": " << told;
    EXPECT_NE(told.find("; "), std::string::npos) << told;
  }
}

TEST(Overrides, AnyBytesAreReadOrRefused) {
  std::mt19937 random(5);
  const std::string good = row(1, "never", named(kA, "x") + ", " + named(kB)) + undo(2, 1);
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (unsigned k = random() % 4; k < 4; ++k) text[random() % text.size()] = static_cast<char>(random());
    static_cast<void>(complaint([&] { static_cast<void>(live_overrides(parse_overrides(text, "f"))); }));
  }
}

TEST(Overrides, AnUndoCanBeUndone) {
  const std::string keep = row(1, "keep", named(kA));
  using Seqs = std::vector<std::uint64_t>;
  EXPECT_EQ(live_seqs(keep), Seqs{1});
  EXPECT_EQ(live_seqs(keep + undo(3, 1)), Seqs{});
  EXPECT_EQ(live_seqs(keep + undo(3, 1) + undo(4, 3)), Seqs{1});
  EXPECT_EQ(live_seqs(keep + undo(3, 1) + undo(4, 3) + undo(5, 4)), Seqs{});
  EXPECT_EQ(live_seqs(keep + undo(3, 1) + undo(4, 1) + undo(5, 4)), Seqs{});  // undone twice, restored once
}

TEST(Overrides, ContradictionsNameBothLines) {
  const auto told = [](const std::string& a, const std::string& b) { return live_complaint(a + b); };
  EXPECT_EQ(told(row(1, "keep", named(kA)), row(2, "remove", named(kA))),
            "f:2: 'remove' contradicts 'keep' in f:1; undo one of them");
  EXPECT_EQ(told(row(1, "remove", named(kA, "x")), row(2, "survivor", named(kB) + "," + named(kA, "x"))),
            "f:2: 'survivor' contradicts 'remove' in f:1; undo one of them");
  // Without an id, a line is about all documents with the text.
  EXPECT_NE(told(row(1, "remove", named(kA, "x")), row(2, "keep", named(kA))), "");
  EXPECT_NE(told(row(1, "remove", named(kA)), row(2, "keep", named(kA, "x"))), "");
  EXPECT_EQ(told(row(1, "remove", named(kA, "x")), row(2, "keep", named(kA, "y"))), "");
  EXPECT_EQ(told(row(1, "remove", named(kA)), row(2, "keep", named(kB))), "");
  EXPECT_EQ(told(row(1, "keep", named(kA)), row(2, "survivor", named(kA))), "");
  EXPECT_EQ(told(row(1, "remove", named(kA)), row(2, "never", named(kA) + "," + named(kB))), "");
  EXPECT_EQ(told(row(1, "keep", named(kA)) + undo(2, 1), row(3, "remove", named(kA))), "");
  EXPECT_NE(told(row(1, "keep", named(kA)) + undo(2, 1), row(3, "remove", named(kA)) + undo(4, 2)), "");
}

class Merge : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path) << text;
    return path;
  }
  std::string merged(const std::string& a, const std::string& b) { return merge_overrides(file("a", a), file("b", b)); }

 private:
  TempDir folder_{std::filesystem::temp_directory_path(), "refrain-test"};
};

TEST_F(Merge, LinesAreNumberedAnewAndUndoesStillNameTheirLines) {
  EXPECT_EQ(
      merged(row(4, "keep", named(kA)) + undo(9, 4),
             row(2, "remove", named(kA)) + row(3, "keep", named(kB)) + undo(5, 3)),
      row(1, "keep", named(kA)) + undo(2, 1) + row(3, "remove", named(kA)) + row(4, "keep", named(kB)) + undo(5, 4));
}

TEST_F(Merge, WhatBothFilesBeganWithIsTakenOnce) {
  const std::string common = row(1, "keep", named(kA)) + row(2, "keep", named(kA)) + row(3, "remove", named(kB));
  EXPECT_EQ(merged(common, common), common);
  EXPECT_EQ(merged(common + undo(4, 3), common + row(4, "note", named(kA), R"(, "note": "x")") + undo(5, 2)),
            common + undo(4, 3) + row(5, "note", named(kA), R"(, "note": "x")") + undo(6, 2));
  EXPECT_EQ(merged("", common), common);
  EXPECT_EQ(merged(common, ""), common);
}

TEST_F(Merge, ContradictionsNameBothFiles) {
  const std::string told =
      complaint([&] { static_cast<void>(merged(row(1, "keep", named(kA)), "\n" + row(1, "remove", named(kA, "x")))); });
  EXPECT_NE(told.find("b:2: 'remove' contradicts 'keep' in "), std::string::npos) << told;
  EXPECT_NE(told.find("a:1; undo one of them"), std::string::npos) << told;
}

// The effects of the lines if the documents, in order of rank, have these texts and ids.
struct Found {
  std::vector<Target> targets;
  std::vector<OverrideEffect> effects;
};
Found find(const std::string& text, const std::vector<std::pair<std::string, std::string>>& documents) {
  const std::vector<Override> live = live_overrides(parse_overrides(text, "f"));
  MemoryBudget budget(Context{});
  TargetFinder finder(live, budget);
  DocId number = 0;
  for (const auto& [digest, id] : documents) {
    const Digest of = *parse_digest(digest);
    if (finder.names(of)) finder.add(number, of, id, number);
    ++number;
  }
  if (finder.wants_ids())
    for (const auto& [digest, id] : documents) finder.see(id);
  Found found;
  found.targets = finder.find(found.effects);
  return found;
}

std::vector<DocId> documents_of(const Found& found) {
  std::vector<DocId> documents;
  for (const Target& target : found.targets) documents.push_back(target.document);
  return documents;
}

using Documents = std::vector<DocId>;

TEST(Targets, IdsChooseAmongCopiesAsLongAsOneHasThem) {
  const std::vector<std::pair<std::string, std::string>> all = {{kA, "x"}, {kB, "z"}, {kA, "y"}, {kA, "w"}};
  EXPECT_EQ(documents_of(find(row(1, "remove", named(kA, "y")), all)), Documents{2});
  EXPECT_EQ(documents_of(find(row(1, "remove", named(kA)), all)), (Documents{0, 2, 3}));
  EXPECT_EQ(documents_of(find(row(1, "remove", named(kA, "gone")), all)), (Documents{0, 2, 3}));
  EXPECT_EQ(documents_of(find(row(1, "keep", named(kA)), all)), Documents{0});
  EXPECT_EQ(documents_of(find(row(1, "keep", named(kA, "gone")), all)), Documents{0});
  EXPECT_EQ(documents_of(find(row(1, "keep", named(kA, "w")), all)), Documents{3});
  // A copy that another line names by its id is not meant.
  EXPECT_EQ(documents_of(find(row(1, "keep", named(kA, "x")) + row(2, "remove", named(kA, "gone")), all)),
            (Documents{0, 2, 3}));
  EXPECT_EQ(documents_of(find(row(1, "never", named(kA, "w") + "," + named(kB, "?")), all)), (Documents{0, 1, 2, 3}));
  EXPECT_EQ(documents_of(find(row(1, "never", named(kA, "w") + "," + named(kA, "x")), all)), (Documents{0, 3}));
  EXPECT_TRUE(find(row(1, "note", named(kA), R"(, "note": "n")"), all).targets.empty());
}

TEST(Targets, StatusesTellStaleFromNotFound) {
  const std::vector<std::pair<std::string, std::string>> all = {{kB, "x"}, {kB, "y"}};
  const auto status = [&](const std::string& text) { return find(text, all).effects.at(0).status; };
  EXPECT_EQ(status(row(1, "keep", named(kB, "gone"))), OverrideStatus::applies);
  EXPECT_EQ(status(row(1, "keep", named(kA, "x"))), OverrideStatus::stale);
  EXPECT_EQ(status(row(1, "keep", named(kA, "gone"))), OverrideStatus::not_found);
  EXPECT_EQ(status(row(1, "keep", named(kA))), OverrideStatus::not_found);
  EXPECT_EQ(status(row(1, "never", named(kA, "gone") + "," + named(kB))), OverrideStatus::not_found);
  EXPECT_EQ(status(row(1, "never", named(kB) + "," + named(kA, "y"))), OverrideStatus::stale);
  EXPECT_EQ(status(row(1, "never", named(kB, "x") + "," + named(kB, "gone"))), OverrideStatus::not_found);
  EXPECT_TRUE(find(row(1, "never", named(kB) + "," + named(kA, "y")), all).targets.empty());
  const Found bulk = find(row(1, "remove", named(kA, "x") + "," + named(kB, "y")), all);
  ASSERT_EQ(bulk.effects.size(), 2U);
  EXPECT_EQ(bulk.effects[0].status, OverrideStatus::stale);
  EXPECT_EQ(bulk.effects[1].status, OverrideStatus::applies);
  EXPECT_EQ(documents_of(bulk), Documents{1});
}

TEST(Targets, ALostIdThatMakesLinesContradictIsAnError) {
  const std::string told = complaint([] {
    find(row(1, "keep", named(kA, "x")) + row(2, "remove", named(kA, "y")), {{kA, "new"}, {kA, "newer"}});
  });
  EXPECT_NE(told.find("f:2: 'remove' contradicts 'keep' in f:1"), std::string::npos) << told;
}

}  // namespace

}  // namespace refrain::verbs::overrides
