#include "faces/cli/table/parser.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "faces/cli/table/options.h"
#include "refrain/error.h"

namespace refrain::cli {
namespace {

using Words = std::vector<std::string>;

Settings settings_of(const Words& words) {
  return parse(words).settings;
}

// Returns the error message for a command line that the parser refuses, or "accepted".
std::string refusal(const Words& words) {
  try {
    parse(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FlagTable, GivesNoVerbTwoFlagsOfOneName) {
  for (const VerbInfo& verb : verbs()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    for (const Flag* flag : flags_of(verb.verb)) {
      EXPECT_TRUE(names.insert(flag->name).second) << verb.name << " --" << flag->name;
      EXPECT_TRUE(flag->letter == 0 || letters.insert(flag->letter).second) << verb.name << " -" << flag->letter;
    }
  }
}

TEST(FlagTable, SaysDefaultAndUnitOfEveryFlag) {
  for (const Flag& flag : flags()) {
    EXPECT_FALSE(flag.description.empty()) << flag.name;
    EXPECT_EQ(flag.metavar.empty(), flag.kind == Kind::toggle) << flag.name;
    EXPECT_EQ(flag.default_text.empty(), flag.group == Group::program) << flag.name;
    EXPECT_TRUE(flag.kind != Kind::choice || flag.choices != nullptr) << flag.name;
  }
}

TEST(VerbTable, IsInTheOrderOfTheEnum) {
  for (const VerbInfo& verb : verbs()) EXPECT_EQ(&info(verb.verb), &verb);
}

TEST(VerbTable, KnowsFamilies) {
  EXPECT_EQ(members(Verb::ngrams).size(), 5U);
  EXPECT_EQ(members(Verb::index).size(), 9U);
  EXPECT_TRUE(members(Verb::near).empty());
  EXPECT_TRUE(members(Verb::ngrams_show).empty());
  EXPECT_EQ(last_word(info(Verb::ngrams_show)), "show");
  EXPECT_EQ(last_word(info(Verb::near)), "near");
}

TEST(Parser, ReadsVerbsOfTwoWords) {
  EXPECT_EQ(parse(Words{"ngrams", "show", "index", "--limit", "3"}).verb, Verb::ngrams_show);
  EXPECT_EQ(given_options<NgramsShowOptions>(settings_of({"ngrams", "show", "index", "--limit", "3"})).limit, 3U);
  EXPECT_EQ(reading_options<NgramsOptions>(settings_of({"ngrams", "build", "x", "-o", "i", "-n5", "-m", "3"})).n, 5U);
  for (const Words& words : {Words{"ngrams"}, Words{"ngrams", "--help"}, Words{"ngrams", "-h"}}) {
    EXPECT_EQ(parse(words).verb, Verb::ngrams);
    EXPECT_TRUE(parse(words).settings.help);
  }
  EXPECT_TRUE(settings_of({"ngrams", "--version"}).version);
  EXPECT_EQ(settings_of({"help", "ngrams", "show"}).operands, Words{"ngrams show"});
  EXPECT_EQ(refusal({"ngrams", "shwo"}), "unknown verb 'ngrams shwo'; did you mean 'ngrams show'?");
  EXPECT_EQ(refusal({"index", "serve", "i"}), "unknown verb 'index serve'; did you mean 'serve'?");
  EXPECT_EQ(refusal({"ngrams", "lookup", "index"}), "'ngrams lookup' needs INDEX PHRASE...");
}

TEST(Parser, ReadsEverySpellingOfAValue) {
  for (const Words& words : {Words{"near", "x", "--output", "d"}, Words{"near", "x", "--output=d"},
                             Words{"near", "x", "-o", "d"}, Words{"near", "x", "-od"}, Words{"near", "-o", "d", "x"}}) {
    const Settings settings = settings_of(words);
    EXPECT_EQ(near_options(settings).output, "d");
    EXPECT_EQ(settings.operands, Words{"x"});
  }
  EXPECT_EQ(near_options(settings_of({"near", "x", "--output=a=b"})).output, "a=b");
  EXPECT_EQ(near_options(settings_of({"near", "x", "-qod"})).output, "d");
}

TEST(Parser, TakesTheLastOfAFlagGivenTwice) {
  EXPECT_EQ(near_options(settings_of({"near", "x", "-o", "d", "--distance", "1", "--distance", "5"})).distance, 5U);
}

TEST(Parser, CollectsWhatCollects) {
  EXPECT_EQ(settings_of({"explain", "0", "1", "--in", "a", "--in", "b"}).in, (Words{"a", "b"}));
}

TEST(Parser, TakesADashAndWhatFollowsTwoDashesAsOperands) {
  EXPECT_EQ(settings_of({"near", "-", "-o", "d", "--", "--force", "--"}).operands, (Words{"-", "--force", "--"}));
}

TEST(Parser, TakesChoicesInTheOrderOfTheEnums) {
  const Settings settings = settings_of({"fingerprint", "x", "--format", "csv", "--tokenizer", "code-kinds", "--hash",
                                         "md5", "--tie", "1", "--seed", "18446744073709551615"});
  EXPECT_EQ(input_options(settings, {}).format, Format::csv);
  const FingerprintOptions options = given_options<FingerprintOptions>(settings);
  EXPECT_EQ(options.tokenizer, TokenizerKind::code_kinds_bare);
  EXPECT_EQ(options.hash, HashKind::md5);
  EXPECT_EQ(options.tie_sets_bit, true);
  EXPECT_EQ(options.seed, ~std::uint64_t{0});
}

TEST(Parser, NamesTheFlagAndWhatIsAllowed) {
  EXPECT_EQ(refusal({"near", "x", "-o", "d", "--distance", "64"}),
            "--distance: invalid value '64'; must be a whole number, 0 to 63");
  EXPECT_EQ(refusal({"near", "x", "-o", "d", "--distance", "-1"}),
            "--distance: invalid value '-1'; must be a whole number, 0 to 63");
  EXPECT_EQ(refusal({"index", "query", "i", "x", "--min-tokens", "0"}),
            "--min-tokens: invalid value '0'; must be a whole number, at least 1");
  EXPECT_EQ(refusal({"near", "x", "-o", "d", "--memory=63M"}),
            "--memory: invalid value '63M'; must be a size, e.g. 512M or 1.5G, at least 64M");
  EXPECT_EQ(refusal({"near", "x", "--format", "xml"}),
            "--format: unknown value 'xml'; choose one of: files, lines, jsonl, csv, tsv, warc, parquet, json, mbox");
  EXPECT_EQ(refusal({"completion", "tcsh"}), "'completion': unknown argument 'tcsh'; choose one of: bash, zsh, fish");
}

TEST(Parser, SuggestsWhatWasMeant) {
  EXPECT_EQ(refusal({"near", "x", "--distanse", "3"}), "unknown flag '--distanse'; did you mean '--distance'?");
  EXPECT_EQ(refusal({"near", "x", "--tok=words"}), "unknown flag '--tok'; did you mean '--tokenizer'?");
  EXPECT_EQ(refusal({"near", "x", "--zzzzzz"}), "unknown flag '--zzzzzz'");
  EXPECT_EQ(refusal({"naer", "x"}), "unknown verb 'naer'; did you mean 'near'?");
  EXPECT_EQ(refusal({"fingerprint", "x", "--blocks", "4"}), "'fingerprint' has no flag '--blocks'; it belongs to near");
}

TEST(Parser, RefusesWhatIsMissingOrTooMuch) {
  EXPECT_EQ(refusal({}), "missing verb");
  EXPECT_EQ(refusal({"--json"}), "missing verb before '--json'");
  EXPECT_EQ(refusal({"near", "-o", "d"}), "'near' needs INPUT...");
  EXPECT_EQ(refusal({"near", "x"}), "'near' needs --output DIR: output folder");
  EXPECT_EQ(refusal({"near", "x", "-o"}), "-o needs a value: DIR");
  EXPECT_EQ(refusal({"near", "x", "--output="}), "--output needs a value: DIR");
  EXPECT_EQ(refusal({"near", "x", "-o", "--force"}),
            "-o needs a value: DIR, but '--force' looks like a flag; write --output=--force to use it anyway");
  EXPECT_EQ(refusal({"ngrams", "build", "x", "-o", "d", "-n", "-x"}),
            "-n needs a value: TOKENS, but '-x' looks like a flag");
  EXPECT_EQ(refusal({"ngrams", "build", "x", "-o", "d", "--n", "3"}), "unknown flag '--n'; did you mean '-n'?");
  EXPECT_EQ(refusal({"near", "x", "--force=yes"}), "--force takes no value");
  EXPECT_EQ(refusal({"explain", "a", "b", "c"}), "'explain': unexpected argument 'c'");
  EXPECT_EQ(refusal({"near", "x", "-z"}), "unknown flag '-z'");
}

TEST(Parser, NamesTheHelpOfTheVerb) {
  try {
    parse(Words{"near"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.help_command(), "refrain near --help");
  }
}

TEST(Parser, LetsHelpAndVersionPassOnAnUnfinishedLine) {
  EXPECT_TRUE(settings_of({"near", "--help"}).help);
  EXPECT_TRUE(settings_of({"near", "-qh"}).help);
  EXPECT_TRUE(settings_of({"-V"}).version);
  EXPECT_EQ(parse(Words{"--help"}).verb, Verb::help);
  EXPECT_EQ(parse(Words{"--help", "near"}).settings.operands, Words{"near"});
}

TEST(Options, ApplyThePresetFirstAndThenTheFlags) {
  const NearOptions plain = near_options(settings_of({"near", "x", "-o", "d"}));
  EXPECT_EQ(plain.distance, kNearDistance);
  EXPECT_FALSE(plain.verify);
  EXPECT_EQ(plain.blocks, 0U);
  const NearOptions report = near_options(settings_of({"near", "x", "-o", "d", "--window", "5", "--preset", "report"}));
  EXPECT_EQ(report.distance, 4U);
  EXPECT_EQ(report.blocks, 6U);
  EXPECT_EQ(report.fingerprint.window, 5U);
}

TEST(Options, OfNearSearchFurtherWhereTheTextsAreCompared) {
  const NearOptions verified = near_options(settings_of({"near", "x", "-o", "d", "--verify", "--threshold", "70%"}));
  EXPECT_TRUE(verified.verify);
  EXPECT_EQ(verified.distance, kVerifiedDistance);
  EXPECT_EQ(verified.threshold, 0.7);
  EXPECT_EQ(near_options(settings_of({"near", "x", "-o", "d", "--verify", "--preset", "fpga"})).distance, 3U);
  EXPECT_EQ(near_options(settings_of({"near", "x", "-o", "d", "--verify", "--distance", "5"})).distance, 5U);
  EXPECT_THROW(near_options(settings_of({"near", "x", "-o", "d", "--threshold", "0.7"})), Error);
}

TEST(Options, DropThePresetsBlocksWhereTheDistanceOutgrowsThem) {
  EXPECT_EQ(near_options(settings_of({"near", "x", "-o", "d", "--preset", "report", "--distance", "6"})).blocks, 0U);
}

TEST(IndexOptions, InterleavingImpliesAllWindows) {
  const auto layout = [](Words words) {
    words.insert(words.begin(), {"index", "create", "i", "in"});
    return given_options<IndexLayout>(settings_of(words));
  };
  EXPECT_EQ(layout({}).sampling, BlotSampling::syncmer);
  EXPECT_EQ(layout({"--interleave", "1"}).sampling, BlotSampling::syncmer);
  EXPECT_EQ(layout({"--interleave", "2"}).sampling, BlotSampling::all);
  EXPECT_EQ(layout({"--interleave", "2", "--sampling", "all"}).interleave, 2U);
  EXPECT_THROW(layout({"--interleave", "2", "--sampling", "syncmer"}), Error);
}

TEST(IndexOptions, AQueryIsFilesOrADocumentOfTheIndex) {
  EXPECT_THROW(query_options(settings_of({"index", "query", "i"})), Error);
  EXPECT_THROW(query_options(settings_of({"index", "query", "i", "file", "--id", "x"})), Error);
  const QueryOptions options = query_options(settings_of({"index", "query", "i", "--id", "x", "--limit", "0"}));
  EXPECT_EQ(options.id, "x");
  EXPECT_EQ(options.limit, 0U);
  EXPECT_EQ(options.max_occurrences, 1000U);
  EXPECT_EQ(query_options(settings_of({"index", "query", "i", "--id", "x"})).max_occurrences, 20U);
  EXPECT_THROW(ids_to_remove(settings_of({"index", "remove", "i"})), Error);
}

TEST(LibraryOptions, DocumentsAreRemovedByIdOrBySource) {
  EXPECT_THROW(library_remove_options(settings_of({"library", "remove", "l"})), Error);
  const LibraryRemoveOptions options =
      library_remove_options(settings_of({"library", "remove", "l", "a", "b", "a", "--source", "s", "--source", "t"}));
  EXPECT_EQ(options.ids, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options.sources, (std::vector<std::string>{"s", "t"}));
}

TEST(Parser, KeepsTheArgumentsAsTheyWereGiven) {
  const Words words = {"index", "query", "i", "--limit=3", "--", "-q"};
  EXPECT_EQ(parse(words).settings.arguments, words);
}

TEST(InFlags, SpellsOptionsThatTheProgramHasAndNothingElse) {
  const auto shown = [](const char* message) { return in_flags(Error(Errc::invalid_argument, message)); };
  EXPECT_EQ(shown("`max_loss`: has no effect with `near` off"), "--max-loss: has no effect with --near off");
  EXPECT_EQ(shown("`n` 0: must be from 1"), "-n 0: must be from 1");
  EXPECT_EQ(shown("writing requires a token; add `token_file` FILE"),
            "writing requires a token; add --token-file FILE");
  EXPECT_EQ(shown("`foo`: not found"), "`foo`: not found");
}

}  // namespace
}  // namespace refrain::cli
