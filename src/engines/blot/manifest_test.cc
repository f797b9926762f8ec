// The manifest: what is written can be read again, damage is detected, and only the index's own files are removed.
#include "engines/blot/manifest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "engines/blot/format.h"
#include "refrain/error.h"
#include "store/segments/folder.h"
#include "store/segments/manifest_text.h"
#include "world.h"

namespace refrain::blot {
namespace {

namespace fs = std::filesystem;

class ManifestFiles : public testing::Test, public World {};

Manifest some_manifest() {
  Manifest manifest;
  manifest.layout = {
      .window = 12, .blots = BlotKind::sum, .blot_bits = 33, .shards = 2, .store_text = true, .pairs = false};
  manifest.generation = 7;
  manifest.next_segment = 5;
  manifest.next_ordinal = 99;
  SegmentInfo segment;
  segment.number = 3;
  segment.documents = 10;
  segment.posts_files = {{1, 2}, {3, 4}};
  manifest.segments.push_back(segment);
  segment.number = 4;
  segment.texts_file = store::PageFileId{5, 6};
  segment.removed = 2;
  segment.removed_generation = 7;
  manifest.segments.push_back(segment);
  return manifest;
}

TEST(ManifestText, ComesBackWhole) {
  const Manifest manifest = some_manifest();
  const Manifest found = parse_manifest(to_text(manifest), "m");
  EXPECT_EQ(to_text(found), to_text(manifest));
  EXPECT_EQ(found.segments, manifest.segments);
  EXPECT_EQ(found.layout.window, 12U);
}

TEST(ManifestText, SaysWhetherThereArePairs) {
  Manifest manifest = some_manifest();
  manifest.id = store::random_manifest_id();
  for (const bool pairs : {false, true}) {
    manifest.layout.pairs = pairs;
    EXPECT_EQ(parse_manifest(to_text(manifest), "m").layout.pairs, pairs);
    EXPECT_TRUE(to_text(manifest).starts_with(pairs ? "refrain-index 3\n" : "refrain-index 2\n"));
  }
}

TEST(ManifestText, SaysOfHowManyTokensABlotIsWhereItDidNotBefore) {
  Manifest manifest = some_manifest();
  manifest.id = store::random_manifest_id();
  manifest.layout.sampling = BlotSampling::all;
  EXPECT_TRUE(to_text(manifest).starts_with("refrain-index 4\n"));
  EXPECT_NE(to_text(manifest).find("pairs 0\nblot-tokens 7\n"), std::string::npos);
  EXPECT_EQ(parse_manifest(to_text(manifest), "m").layout.blot_tokens, 7U);
  // Blots as older versions have them.
  manifest.layout.blot_tokens = 12;
  EXPECT_TRUE(to_text(manifest).starts_with("refrain-index 2\n"));
  EXPECT_EQ(parse_manifest(to_text(manifest), "m").layout.blot_tokens, 12U);
  manifest.layout = {.sampling = BlotSampling::all, .interleave = 2, .blot_bits = 33, .shards = 2};
  EXPECT_TRUE(to_text(manifest).starts_with("refrain-index 3\n"));
  // Older versions do not know code without comments either.
  manifest.layout.tokenizer = TokenizerKind::code_bare;
  EXPECT_TRUE(to_text(manifest).starts_with("refrain-index 4\n"));
  EXPECT_EQ(parse_manifest(to_text(manifest), "m").layout.tokenizer, TokenizerKind::code_bare);
}

TEST(ManifestText, DamagedAnywhereIsNoticed) {
  const std::string text = to_text(some_manifest());
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const char flip : {'\x01', '\x20', '\x7F'}) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      EXPECT_THROW(parse_manifest(damaged, "m"), Error) << i;
    }
  for (std::size_t i = 0; i < text.size(); ++i) EXPECT_THROW(parse_manifest(text.substr(0, i), "m"), Error);
  EXPECT_THROW(parse_manifest(text + "x", "m"), Error);
}

TEST(ManifestText, MoreDocumentsThanASegmentHoldsAreNoticed) {
  Manifest manifest = some_manifest();
  manifest.segments.back().documents = kMaxDocuments + 1;
  EXPECT_THROW(parse_manifest(to_text(manifest), "m"), Error);
  manifest.segments.back().documents = manifest.segments.back().removed - 1;
  EXPECT_THROW(parse_manifest(to_text(manifest), "m"), Error);
}

TEST_F(ManifestFiles, RemovedDocumentsComeBack) {
  std::mt19937_64 random(4);
  for (const std::size_t count : {1U, 2U, 100U, 5000U}) {
    SegmentInfo segment;
    segment.number = count;
    segment.documents = count;
    std::vector<bool> removed(count);
    for (std::size_t i = 0; i < count; ++i) removed[i] = random() % 3 == 0 || i + 1 == count;
    store::write_removed(folder(), kIndexKind, removed, 9, segment);
    EXPECT_EQ(segment.removed, static_cast<std::uint64_t>(std::count(removed.begin(), removed.end(), true)));
    EXPECT_EQ(store::read_removed(folder(), kIndexKind, segment), removed);
  }
}

std::vector<std::string> all_below(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    found.push_back(fs::relative(entry.path(), folder).string());
  std::sort(found.begin(), found.end());
  return found;
}

TEST_F(ManifestFiles, WhatNoManifestNamesIsRemoved) {
  for (const char* name : {"000003", "000004", "000009", "1000000"}) fs::create_directory(at(name));
  for (const char* name : {"manifest", "lock"}) write(name, "x");
  for (const char* name : {"000004-000007.removed", "000004-000006.removed"})
    write(name, std::string(kBlotRemovedMagic) + "...");
  write("000009/posts-00.bin", std::string(kBlotPostsMagic) + "...");
  write(std::string("000009/") + kBlotDocumentsName, kBlotDocumentsMagic);
  write(std::string("000009/") + kBlotTextsName, "");  // as left by a writer that was killed at once
  store::remove_unnamed(folder(), kIndexKind, named_in(some_manifest()));
  EXPECT_EQ(all_below(folder()),
            (std::vector<std::string>{"000003", "000004", "000004-000007.removed", "lock", "manifest"}));
}

TEST_F(ManifestFiles, AStrangersFileIsNeverRemoved) {
  const std::vector<std::string> strangers = {"new.txt",
                                              "manifest.old",
                                              "000001.bak",
                                              "000001-000002.removed",
                                              "000008.txt",
                                              "manifest.partial-notes",
                                              "000005/keep.txt",
                                              "000006/documents.bin",
                                              "notes/000007/posts-00.bin"};
  for (const std::string& name : strangers) write(name, "somebody's");
  // A stranger's file beside a file that a writer left, in a folder with a name that writers use.
  write("000005/posts-00.bin", kBlotPostsMagic);
  fs::create_directory_symlink(at("notes"), at("000010"));
  const std::vector<std::string> before = all_below(folder());
  store::remove_unnamed(folder(), kIndexKind, named_in(some_manifest()));
  std::vector<std::string> expected = before;
  std::erase(expected, "000005/posts-00.bin");
  EXPECT_EQ(all_below(folder()), expected);
}

TEST(ManifestText, OfBeforeThereWereIdsIsReadAndHasAnIdentityStill) {
  Manifest manifest = some_manifest();
  const std::string old = to_text(manifest);
  EXPECT_TRUE(old.starts_with("refrain-index 1\ngeneration 7\n"));
  EXPECT_EQ(to_text(parse_manifest(old, "m")), old);
  manifest.id = store::random_manifest_id();
  const std::string text = to_text(manifest);
  EXPECT_TRUE(text.starts_with("refrain-index 2\nid "));
  EXPECT_EQ(to_text(parse_manifest(text, "m")), text);
}

TEST(ManifestText, TwoIndexesOfOneGenerationHaveTwoIdentities) {
  Manifest one = some_manifest();
  one.id = store::random_manifest_id();
  Manifest other = some_manifest();
  other.id = store::random_manifest_id();
  EXPECT_NE(one.id, other.id);
  EXPECT_NE(identity_of(one), identity_of(other));
  Manifest next = one;
  next.segments.back().removed = 3;
  EXPECT_NE(identity_of(one), identity_of(next));
}

}  // namespace
}  // namespace refrain::blot
