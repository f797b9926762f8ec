// After documents are added and removed and segments merged, an index equals one of the remaining documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "engines/blot/blotter.h"
#include "engines/blot/format.h"
#include "engines/blot/manifest.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"
#include "world.h"

namespace refrain::verbs::index {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::pair<std::string, std::string>>;  // id, text; in order

std::string random_text(std::mt19937& random) {
  std::string text;
  const std::size_t words = random() % 5 == 0 ? random() % 2000 : random() % 60;
  for (std::size_t i = 0; i < words; ++i) {
    text += "w" + std::to_string(random() % 30);
    text += random() % 8 == 0 ? ".\n" : " ";
  }
  return text;
}

// The posts of an index, independent of its numbers of documents and segments: blot -> (id, block in the document).
std::map<std::uint64_t, std::vector<std::pair<std::string, std::uint64_t>>> posts_of(const fs::path& folder) {
  Snapshot snapshot(folder);
  std::map<std::uint64_t, std::vector<std::pair<std::string, std::uint64_t>>> posts;
  for (Snapshot::Blots blots(snapshot, 0, std::uint64_t{1} << 60U); blots.next();)
    for (auto blocks = blots.blocks(); !blocks.empty(); blocks = blots.blocks())
      for (const std::uint64_t block : blocks) {
        const DocId document = snapshot.document_at(block);
        posts[blots.blot()].emplace_back(snapshot.id(document), block - snapshot.first_block(document));
      }
  return posts;
}

Texts texts_of(const fs::path& folder) {
  Snapshot snapshot(folder);
  Texts texts;
  for (DocId i = 0; i < snapshot.documents(); ++i)
    if (!snapshot.removed(i)) texts.emplace_back(snapshot.id(i), snapshot.text(i));
  return texts;
}

std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
  }
  // Ids are left out, because no two indexes have the same.
  blot::Manifest manifest = blot::read_manifest(folder);
  manifest.id.clear();
  files["manifest"] = blot::to_text(manifest);
  return files;
}

class IndexWriting : public testing::Test, public World {
 protected:
  // A file of records with ids, or a folder of files.
  InputOptions input_of(const Texts& texts, Format format) {
    const std::string path = at("input-" + std::to_string(inputs_++));
    InputOptions input;
    input.format = format;
    if (format == Format::files) {
      for (const auto& [id, text] : texts) write(path + "/" + id, text);
    } else {
      input.id_field = "id";
      std::string records = format == Format::csv ? "id,text\n" : "";
      for (const auto& [id, text] : texts) {
        std::string body;
        for (const char c : text)
          body += format != Format::jsonl ? std::string(1, c)
                  : c == '\n'             ? "\\n"
                  : c == '3'              ? "\\u0033"
                                          : std::string(1, c);
        if (format == Format::jsonl)
          records += R"({"id":")" + id + R"(","text":")" + body + "\"}\n";
        else
          records += id + ",\"" + body + "\"\n";
      }
      write(path, records);
    }
    input.paths = {path};
    return input;
  }
  fs::path index_of(const Texts& texts, IndexLayout layout) {
    const fs::path path = at("index-" + std::to_string(indexes_++));
    create_index({path, input_of(texts, Format::jsonl), layout}, context_);
    return path;
  }
  void expect_whole(const fs::path& index) {
    const IndexCheckReport report = check_index(index, false, context_);
    EXPECT_EQ(report.damages, std::vector<std::string>());
    EXPECT_EQ(report.changed_documents, 0U);
  }

  const Context context_ = context();
  int inputs_ = 0;
  int indexes_ = 0;
};

TEST_F(IndexWriting, IsTheIndexOfWhatIsLeft) {
  std::mt19937 random(1);
  for (const IndexLayout& layout : {IndexLayout{.blot_bits = 30}, IndexLayout{.window = 4,
                                                                  .blots = BlotKind::xor_all,
                                                                  .sampling = BlotSampling::all,
                                                                  .blot_bits = 16,
                                                                  .shards = 4,
                                                                  .store_text = true}}) {
    Texts model;
    int next = 0;
    const auto more = [&](std::size_t count) {
      Texts texts;
      for (std::size_t i = 0; i < count; ++i) texts.emplace_back("id" + std::to_string(next++), random_text(random));
      return texts;
    };
    model = more(20);
    const fs::path path = index_of(model, layout);
    Index index(path);
    for (int step = 0; step < 40; ++step) {
      const unsigned what = random() % 8;
      if (what < 3) {
        const Texts added = more(random() % 6);
        index.add({.input = input_of(added, step % 2 == 0 ? Format::jsonl : Format::csv)}, context_);
        model.insert(model.end(), added.begin(), added.end());
      } else if (what < 5 && !model.empty()) {
        std::vector<std::string> ids;
        for (const auto& [id, text] : model)
          if (random() % 6 == 0) ids.push_back(id);
        ids.emplace_back("no such id");
        const IndexWriteReport report = index.remove(ids, context_);
        EXPECT_EQ(report.removed, ids.size() - 1);
        EXPECT_EQ(report.unknown, std::vector<std::string>{"no such id"});
        std::erase_if(model,
                      [&](const auto& one) { return std::find(ids.begin(), ids.end(), one.first) != ids.end(); });
      } else if (what < 7 && !model.empty()) {
        const std::string id = model[random() % model.size()].first;
        const QueryDocument document{id, random_text(random)};
        EXPECT_EQ(index.add({document}, true, context_).replaced, 1U);
        std::erase_if(model, [&](const auto& one) { return one.first == id; });
        model.emplace_back(id, document.text);
      } else {
        index.merge(context_);
        EXPECT_LE(Snapshot(path).manifest().segments.size(), 1U);
      }
      ASSERT_EQ(texts_of(path), model);
      EXPECT_LE(Snapshot(path).manifest().segments.size(), 9U);
    }
    expect_whole(path);
    ASSERT_EQ(posts_of(path), posts_of(index_of(model, layout)));
    index.merge(context_);
    expect_whole(path);
    ASSERT_EQ(posts_of(path), posts_of(index_of(model, layout)));
    for (const auto& [id, text] : model) EXPECT_EQ(index.document(id)->text, text);
  }
}

TEST_F(IndexWriting, IsTheSameForAnyThreadsAndMemory) {
  std::mt19937 random(2);
  Texts texts;
  for (int i = 0; i < 3000; ++i) texts.emplace_back("id" + std::to_string(i), random_text(random));
  const InputOptions input = input_of(texts, Format::jsonl);
  std::map<std::string, std::string> first;
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    for (const std::uint64_t memory : {std::uint64_t{64} << 20U, std::uint64_t{1} << 30U}) {
      const fs::path path = at("same-" + std::to_string(threads) + "-" + std::to_string(memory));
      create_index({path, input, {}}, context(threads, memory));
      const std::map<std::string, std::string> files = files_of(path);
      if (first.empty()) first = files;
      EXPECT_EQ(files, first) << threads << " " << memory;
    }
}

TEST_F(IndexWriting, AnIdThatIsThereIsRefusedAndNothingChanges) {
  const fs::path path = index_of({{"a", "one two three"}, {"b", "four five six"}}, {});
  Index index(path);
  const std::uint64_t generation = index.generation();
  EXPECT_THROW(index.add({{"b", "other"}}, false, context_), Error);
  EXPECT_THROW(index.add({{"c", "x"}, {"c", "y"}}, false, context_), Error);
  EXPECT_EQ(index.generation(), generation);
  EXPECT_EQ(texts_of(path), (Texts{{"a", "one two three"}, {"b", "four five six"}}));
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"000001", "lock", "manifest"}));
  index.add({{"c", "x"}, {"c", "y"}}, true, context_);
  EXPECT_EQ(index.document("c")->text, "y");
}

TEST_F(IndexWriting, WhatAPowerCutLeftOfACommitIsClearedUp) {
  const fs::path path = index_of({{"a", "one two three"}}, {});
  const std::string zeros(512, '\0');
  write((path / "000002/documents.bin").string(), zeros + zeros + "a page behind one that was not written");
  write((path / "000002/texts.bin").string(), "");
  write((path / "000001-000002.removed").string(), zeros);
  write((path / "000003/documents.bin").string(), zeros.substr(1) + "a stranger's");
  Index(path).add({{"b", "four five six"}}, false, context_);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"000001", "000002", "000003", "lock", "manifest"}));
  EXPECT_EQ(texts_of(path), (Texts{{"a", "one two three"}, {"b", "four five six"}}));
  expect_whole(path);
}

TEST_F(IndexWriting, AFileThatChangedIsNamedAndNeverShown) {
  const Texts texts = {{"one", "some words of the first document"}, {"two", "other words of the second one"}};
  const InputOptions input = input_of(texts, Format::files);
  const fs::path path = at("files");
  create_index({path, input, {}}, context_);
  Index index(path);
  const std::string id = (fs::path(input.paths[0]) / "one").string();
  EXPECT_EQ(index.document(id)->text, texts[0].second);
  write(id, "some words of the worst document");
  try {
    index.document(id);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_NE(std::string(error.what()).find(id), std::string::npos);
  }
  EXPECT_EQ(check_index(path, false, context_).changed_documents, 1U);
  fs::remove(id);
  EXPECT_THROW(index.document(id), Error);
}

TEST_F(IndexWriting, ASnapshotStaysWhatItWas) {
  const fs::path path = index_of({{"a", "one two three"}, {"b", "four five six"}}, {.store_text = true});
  Snapshot before(path);
  Index index(path);
  index.remove({"a"}, context_);
  index.add({{"c", "seven"}}, false, context_);
  index.merge(context_);
  EXPECT_EQ(before.live(), 2U);
  EXPECT_EQ(before.text(0), "one two three");
  EXPECT_EQ(before.id(1), "b");
  EXPECT_EQ(Snapshot(path).live(), 2U);
}

TEST_F(IndexWriting, DamageIsFoundAndMendedFromTheTexts) {
  std::mt19937 random(5);
  Texts texts;
  for (int i = 0; i < 60; ++i) texts.emplace_back("id" + std::to_string(i), random_text(random));
  const fs::path path = index_of(texts, {.blot_bits = 30});
  const auto posts = posts_of(path);
  const fs::path file = path / "000001" / "posts-00.bin";
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(5000);
  bytes.put('\x55');
  bytes.close();
  EXPECT_EQ(check_index(path, false, context_).damages.size(), 1U);
  EXPECT_THROW(posts_of(path), Error);
  const IndexCheckReport report = check_index(path, true, context_);
  EXPECT_EQ(report.rebuilt_documents, texts.size());
  EXPECT_EQ(report.lost_documents, 0U);
  expect_whole(path);
  EXPECT_EQ(posts_of(path), posts);
  EXPECT_EQ(texts_of(path), texts);
}

TEST_F(IndexWriting, ARepairThatWouldLoseADocumentIsRefused) {
  const Texts texts = {{"one", "some words of the first document"}, {"two", "other words of the second one"}};
  const InputOptions input = input_of(texts, Format::files);
  const fs::path path = at("files");
  create_index({path, input, {}}, context_);
  std::fstream bytes(path / "000001" / "posts-00.bin", std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(100);
  bytes.put('\x55');
  bytes.close();
  fs::rename(input.paths[0], input.paths[0] + "-away");
  EXPECT_THROW(check_index(path, true, context_), Error);
  fs::rename(input.paths[0] + "-away", input.paths[0]);
  EXPECT_EQ(check_index(path, true, context_).rebuilt_documents, 2U);
  expect_whole(path);
  EXPECT_EQ(texts_of(path).size(), 2U);
}

TEST_F(IndexWriting, OrdinalsComeBehindIdsThatLookLikeThem) {
  const fs::path path = index_of({{"a", "one two three"}}, {});
  Index index(path);
  index.add({{"7", "posted"}}, false, context_);
  InputOptions input;
  input.format = Format::lines;
  input.paths = {write_lines("lines", {"first", "second"})};
  index.add({.input = input}, context_);
  EXPECT_EQ(index.document("7")->text, "posted");
  EXPECT_EQ(index.document("8")->text, "first");
  EXPECT_EQ(index.document("9")->text, "second");
}

// The indexes in tests/compat were written by version 1, with pairs by version 3, and with all windows by version 4.
// They must stay readable forever, and everything but the manifest, which has had an id since version 2, is still
// written the same.
TEST_F(IndexWriting, EveryVersionIsReadAndItsSegmentsAreWritten) {
  IndexLayout layout{.shards = 2, .tokenizer = TokenizerKind::words, .store_text = true, .pairs = false};
  for (const std::string version : {"v1", "v3", "v4"}) {
    SCOPED_TRACE(version);
    if (version == "v3") layout.pairs = true;
    if (version == "v4") layout.sampling = BlotSampling::all;
    if (version == "v4") layout.tokenizer = TokenizerKind::code_bare;
    const fs::path golden = fs::path(REFRAIN_TESTS_DIR) / "compat" / version / "blots";
    Texts texts;
    for (int i = 0; i < 40; ++i) {
      std::string text = "Document " + std::to_string(i) + " says:\n";
      for (int j = 0; j < 30 + 40 * (i % 8); ++j)
        text += (j % 7 == i % 7 ? "na\xC3\xAFve w" : "w") + std::to_string(j % 25) + " ";
      texts.emplace_back("doc/" + std::to_string(i), text);
    }
    const fs::path path = at("again-" + version);
    create_index({path, input_of({texts.begin(), texts.begin() + 30}, Format::jsonl), layout}, context_);
    Index index(path);
    std::vector<QueryDocument> more;
    for (int i = 30; i < 40; ++i) more.push_back({texts[i].first, texts[i].second});
    index.add(more, false, context_);
    index.remove({"doc/3", "doc/31"}, context_);
    if (std::getenv("REFRAIN_WRITE_GOLDEN") != nullptr && !fs::exists(golden))
      fs::copy(path, golden, fs::copy_options::recursive);
    std::erase_if(texts, [](const auto& one) { return one.first == "doc/3" || one.first == "doc/31"; });
    EXPECT_EQ(texts_of(golden), texts);
    EXPECT_EQ(blot::blot_shape(blot::read_manifest(golden).layout).tokens, 6U);
    expect_whole(golden);
    EXPECT_TRUE(files_of(golden) == files_of(path));  // not EXPECT_EQ, which would print pages of zeros
  }
  const fs::path golden = fs::path(REFRAIN_TESTS_DIR) / "compat" / "v1" / "blots";
  // The first commit gives the index an id.
  const fs::path copy = at("copy");
  fs::copy(golden, copy, fs::copy_options::recursive);
  const std::string identity = Index(copy).identity();
  Index(copy).remove({"doc/7"}, context_);
  EXPECT_EQ(blot::read_manifest(copy).id.size(), 32U);
  EXPECT_NE(Index(copy).identity(), identity);
}

}  // namespace
}  // namespace refrain::verbs::index
