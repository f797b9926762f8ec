// For the tests in this folder: a library in a folder of its own, documents to ask about, and dedup as the oracle.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "random_text.h"
#include "refrain/dedup.h"
#include "refrain/error.h"
#include "refrain/library.h"
#include "refrain/seen.h"
#include "world.h"

namespace refrain::verbs::seen {

namespace fs = std::filesystem;

struct Page {
  std::string id;
  std::string text;
};

// An answer in a form that can be compared and printed.
struct PlainAnswer {
  std::string status;  // "new", "exact", "near"
  std::string match;
  double similarity = 0;
  friend bool operator==(const PlainAnswer&, const PlainAnswer&) = default;
  friend std::ostream& operator<<(std::ostream& out, const PlainAnswer& plain_answer) {
    return out << plain_answer.status << ' ' << plain_answer.match << ' ' << plain_answer.similarity;
  }
};

class SeenTest : public testing::Test, public World {
 protected:
  static std::vector<Page> pages(std::uint64_t seed, std::size_t count) {
    std::vector<Page> out;
    for (const Words& words : texts_alike(seed, count)) {
      const std::size_t i = out.size();
      out.push_back({"https://host" + std::to_string(i % 3) + ".org/" + std::to_string(i),
                     join(words, i % 7 == 0 ? "\n\"\\ä" : " ")});
    }
    return out;
  }

  std::unique_ptr<Seen> open(bool add = true, unsigned threads = 2) {
    return std::make_unique<Seen>(
        SeenOptions{.library = at("library"),
                    .add = add,
                    .log = [this](std::string_view line) { log_text_ += std::string(line) + "\n"; }},
        context(threads));
  }
  static std::vector<SeenAnswer> ask(Seen& seen, std::span<const Page> pages) {
    std::vector<SeenDocument> documents;
    for (const Page& page : pages) documents.push_back({page.id, page.text});
    return seen.seen(documents);
  }
  static PlainAnswer plain_answer(const SeenAnswer& answer) {
    return {std::string(seen_status_name(answer.status)), answer.match, answer.similarity};
  }

  // Returns what dedup decides about the pages, with a library of its own.
  std::vector<PlainAnswer> by_dedup(std::span<const Page> pages, const std::string& library) {
    std::vector<std::string> records;
    for (const Page& page : pages) records.push_back(json_record({{"id", page.id}, {"text", page.text}}));
    DedupOptions options;
    options.input.paths = {write_lines("in.jsonl", records)};
    // Later calls need the texts, so every call has an input file of its own.
    fs::rename(at("in.jsonl"), at("in" + std::to_string(++inputs_) + ".jsonl"));
    options.input.paths = {at("in" + std::to_string(inputs_) + ".jsonl")};
    options.input.id_field = "id";
    options.output = at("out");
    options.force = true;
    options.library = at(library);
    options.templates = templates_;
    dedup(options, context());
    std::vector<PlainAnswer> out;
    for (const std::string& line : lines("out/decisions.jsonl")) {
      const std::string reason = field(line, "reason");
      const std::string number = field(line, "similarity");
      out.push_back({reason == "exact" || reason == "near" ? reason : "new", field(line, "match"),
                     number.empty() ? 0 : std::stod(number)});
    }
    return out;
  }
  static std::string field(const std::string& line, const std::string& name) {
    const std::size_t key = line.find("\"" + name + "\": ");
    if (key == std::string::npos) return {};
    const std::size_t begin = key + name.size() + 4;
    std::string value = line.substr(begin, line.find_first_of(",}", begin) - begin);
    if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
    return value == "null" ? "" : value;
  }
  // Similarities are printed with only a few digits.
  static void expect_same(const PlainAnswer& one, const PlainAnswer& other, const std::string& id) {
    EXPECT_EQ(one.status, other.status) << id << ": " << one << " / " << other;
    EXPECT_EQ(one.match, other.match) << id << ": " << one << " / " << other;
    EXPECT_NEAR(one.similarity, other.similarity, 1e-4) << id;
  }
  std::vector<std::string> ids_of_library() {
    std::vector<std::string> ids;
    library_export(at("library"), context(), [&](const LibraryDocument& document) { ids.push_back(document.id); });
    return ids;
  }
  static std::string message(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  std::string log_text_;
  int inputs_ = 0;
  bool templates_ = true;  // for by_dedup()
};

}  // namespace refrain::verbs::seen
