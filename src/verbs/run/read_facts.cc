#include "verbs/run/read_facts.h"

#include <fmt/format.h>

#include <string>

namespace refrain::verbs::run {

namespace {

// Every number of the report.
struct Count {
  const char* name;
  std::uint64_t ReadReport::*value;
};
constexpr Count kCounts[] = {
    {"read.files", &ReadReport::files},
    {"read.bytes", &ReadReport::bytes},
    {"read.text_bytes", &ReadReport::text_bytes},
    {"read.documents", &ReadReport::documents},
    {"read.bad_records", &ReadReport::bad_records},
    {"read.hidden_skipped", &ReadReport::hidden_skipped},
    {"read.binary_skipped", &ReadReport::binary_skipped},
    {"read.special_skipped", &ReadReport::special_skipped},
    {"read.other_skipped", &ReadReport::other_skipped},
};

}  // namespace

void keep_read(Facts& facts, const ReadReport& read) {
  for (const Count& count : kCounts) facts.set(count.name, read.*count.value);
  facts.set("read.examples", std::uint64_t{read.examples.size()});
  for (std::size_t i = 0; i < read.examples.size(); ++i) {
    const std::string name = fmt::format("read.example.{}.", i);
    facts.set(name + "path", read.examples[i].path);
    facts.set(name + "line", read.examples[i].line);
    facts.set(name + "reason", read.examples[i].reason);
  }
  keep_unreadable(facts, "read", read.unreadable);
}

ReadReport kept_read(const Facts& facts) {
  ReadReport read;
  for (const Count& count : kCounts) read.*count.value = facts.number(count.name);
  for (std::uint64_t i = 0; i < facts.number("read.examples"); ++i) {
    const std::string name = fmt::format("read.example.{}.", i);
    read.examples.push_back({facts.text(name + "path"), facts.number(name + "line"), facts.text(name + "reason")});
  }
  read.unreadable = kept_unreadable(facts, "read");
  return read;
}

void keep_unreadable(Facts& facts, const std::string& name, const std::vector<BadRecord>& files) {
  facts.set(name + ".unreadable", std::uint64_t{files.size()});
  for (std::size_t i = 0; i < files.size(); ++i) {
    facts.set(fmt::format("{}.unreadable.{}.path", name, i), files[i].path);
    facts.set(fmt::format("{}.unreadable.{}.reason", name, i), files[i].reason);
  }
}

std::vector<BadRecord> kept_unreadable(const Facts& facts, const std::string& name) {
  std::vector<BadRecord> files(facts.number(name + ".unreadable"));
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].path = facts.text(fmt::format("{}.unreadable.{}.path", name, i));
    files[i].reason = facts.text(fmt::format("{}.unreadable.{}.reason", name, i));
  }
  return files;
}

}  // namespace refrain::verbs::run
