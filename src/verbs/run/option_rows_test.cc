#include "verbs/run/option_rows.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "refrain/options.h"
#include "refrain/serve.h"

namespace refrain::verbs::run {
namespace {

enum class Colour { red, green };

std::vector<std::string_view> colours() {
  return {"red", "green"};
}

struct Inner {
  unsigned depth = 3;
};

struct Sample {
  bool loud = false;
  Colour colour = Colour::red;
  std::uint64_t limit = 5;
  double share = 0.5;
  std::string name = {};
  std::vector<std::string> names = {};
  Inner inner = {};
};

std::string without_loud(const Sample& sample) {
  return sample.loud ? "" : "without --loud";
}

std::vector<Option<Sample>> sample_table() {
  return {row<Sample, &Sample::loud>({.name = "loud"}),
          choice_row<Sample, colours, &Sample::colour>({.name = "colour"}),
          row<Sample, &Sample::limit>(
              {.name = "limit", .kind = OptionKind::number, .least = 2, .most = 9, .number_words = {{"off"}}}),
          row<Sample, &Sample::share>({.name = "share", .kind = OptionKind::percent}, without_loud),
          row<Sample, &Sample::name>({.name = "name", .kind = OptionKind::text, .recorded = Recorded::if_set}),
          row<Sample, &Sample::names>(
              {.name = "names", .kind = OptionKind::text, .recorded = Recorded::reported, .repeated = true}),
          row<Sample, &Sample::inner, &Inner::depth>(
              {.name = "depth", .kind = OptionKind::number, .recorded = Recorded::if_used}, without_loud)};
}

std::string message_of(const OptionInfo& info, const OptionValue& value) {
  try {
    check_option(info, value);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OptionRows, SetAndReadMembersOfAnyDepth) {
  const std::vector<Option<Sample>> table = sample_table();
  Sample sample;
  table[1].set(sample, std::uint64_t{1});
  table[5].set(sample, std::vector<std::string>{"a", "b"});
  table[6].set(sample, std::uint64_t{8});
  EXPECT_EQ(sample.colour, Colour::green);
  EXPECT_EQ(sample.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(sample.inner.depth, 8U);
  EXPECT_EQ(table[1].get(sample), OptionValue(std::string("green")));
  EXPECT_EQ(table[6].get(sample), OptionValue(std::uint64_t{8}));
}

TEST(OptionRows, GiveTheDefaultOfTheStruct) {
  std::vector<std::string> defaults;
  for (const Option<Sample>& option : sample_table()) defaults.push_back(default_text(option));
  EXPECT_EQ(defaults, (std::vector<std::string>{"off", "red", "5", "50%", "none", "none", "3"}));
}

TEST(OptionRows, RecordOnlyWhatTheyShould) {
  const std::vector<Option<Sample>> table = sample_table();
  Sample sample;
  EXPECT_EQ(options_identity(sample, {}, std::span<const Option<Sample>>(table)),
            "loud false\ncolour red\nlimit 5\nshare 0.5\nname \ndepth 3\n");
  sample = {.loud = true, .limit = 0, .name = "x", .names = {"a"}};
  EXPECT_EQ(options_identity(sample, {}, std::span<const Option<Sample>>(table)),
            "loud true\ncolour red\nlimit off\nshare 0.5\nname x\ndepth 3\n");
  JsonWriter json;
  json.begin_object();
  write_options(json, sample, std::span<const Option<Sample>>(table));
  json.end_object();
  std::string text = std::move(json).take();
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_EQ(text, R"({"loud":true,"colour":"red","limit":0,"share":0.5,"name":"x","names":["a"],"depth":3})");
}

TEST(OptionRows, TellDifferentValuesApartInAnIdentity) {
  const OptionInfo text{.name = "field", .kind = OptionKind::text};
  const OptionInfo share{.name = "share", .kind = OptionKind::percent};
  EXPECT_NE(identity_lines(text, std::string()), identity_lines(text, std::string("none")));
  EXPECT_NE(identity_lines(share, 0.12345678), identity_lines(share, 0.12345679));
  EXPECT_NE(identity_lines(text, std::vector<std::string>{"a b"}),
            identity_lines(text, std::vector<std::string>{"a", "b"}));
  const OptionInfo choice{.name = "exact", .kind = OptionKind::choice, .choices = colours};
  EXPECT_EQ(identity_lines(choice, true), "exact red\n");
}

TEST(OptionRows, RefuseNumbersThatTheirMemberCannotHold) {
  Sample sample;
  EXPECT_THROW(sample_table()[6].set(sample, std::uint64_t{1} << 40), Error);
}

TEST(OptionRows, AreCheckedAgainstTheirRange) {
  const std::vector<Option<Sample>> table = sample_table();
  EXPECT_EQ(message_of(table[2].info, std::uint64_t{0}), "accepted");
  EXPECT_EQ(message_of(table[2].info, std::uint64_t{1}), "`limit`: must be off, or from 2 to 9");
  EXPECT_EQ(message_of(table[3].info, 1.5), "`share`: must be from 0 to 1");
  EXPECT_THROW(choice_named(table[1].info, "blue"), Error);
  EXPECT_NO_THROW(check_options(Sample{}, std::span<const Option<Sample>>(table)));
  EXPECT_THROW(check_options(Sample{.limit = 10}, std::span<const Option<Sample>>(table)), Error);
}

template <class Options>
void expect_sound() {
  std::set<std::string_view> names;
  const Options defaults;
  for (const Option<Options>& option : option_table<Options>()) {
    const OptionInfo& info = option.info;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(info.faces == 0 || !info.help.empty()) << info.name;
    EXPECT_EQ(info.kind == OptionKind::choice || info.kind == OptionKind::words, info.choices != nullptr) << info.name;
    EXPECT_FALSE(default_text(option).empty()) << info.name;
    // A value that is read can be set again, unless it is a name, which faces turn into a place.
    if (info.kind == OptionKind::choice || info.recorded == Recorded::never) continue;
    const OptionValue value = option.get(defaults);
    if (std::holds_alternative<std::string>(value) && std::get<std::string>(value).empty()) continue;
    Options copy;
    option.set(copy, OptionValue(value));
    EXPECT_EQ(option.get(copy), value) << info.name;
  }
}

TEST(OptionTables, AreSound) {
  expect_sound<Context>();
  expect_sound<InputOptions>();
  expect_sound<DeviceOptions>();
  expect_sound<FingerprintOptions>();
  expect_sound<DocumentMatchOptions>();
  expect_sound<DedupOptions>();
  expect_sound<NearOptions>();
  expect_sound<MatchOptions>();
  expect_sound<SubstringsOptions>();
  expect_sound<NgramsOptions>();
  expect_sound<NgramsShowOptions>();
  expect_sound<IndexLayout>();
  expect_sound<IndexAddOptions>();
  expect_sound<QueryOptions>();
  expect_sound<ExtractOptions>();
  expect_sound<BlotsOptions>();
  expect_sound<ServeOptions>();
}

}  // namespace
}  // namespace refrain::verbs::run
