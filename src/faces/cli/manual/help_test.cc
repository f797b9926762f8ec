#include "faces/cli/manual/manual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace refrain::cli {
namespace {

constexpr std::size_t kLines = 50;
constexpr std::size_t kColumns = 80;

void expect_fits(const std::string& screen) {
  EXPECT_LE(std::count(screen.begin(), screen.end(), '\n'), static_cast<std::ptrdiff_t>(kLines));
  std::istringstream lines(screen);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), kColumns) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Help, FitsOneScreen) {
  expect_fits(program_help());
  for (const VerbInfo& verb : verbs()) {
    SCOPED_TRACE(verb.name);
    expect_fits(verb_help(verb.verb));
  }
}

TEST(Help, NamesEveryFlagWithItsDefaultAndEndsWithTwoExamples) {
  for (const VerbInfo& verb : verbs()) {
    const std::string screen = verb_help(verb.verb);
    for (const Flag* flag : flags_of(verb.verb)) {
      for (const std::string& spelling : flag->spellings())
        EXPECT_NE(screen.find(spelling), std::string::npos) << verb.name << " " << spelling;
    }
    const std::string examples =
        "\nExamples:\n  " + std::string(verb.examples[0]) + "\n  " + std::string(verb.examples[1]) + "\n";
    EXPECT_TRUE(screen.ends_with(examples)) << verb.name;
  }
}

TEST(Help, GivesAFlagOfOneLetterOneDash) {
  EXPECT_NE(verb_help(Verb::ngrams_build).find("\n  -n TOKENS "), std::string::npos);
}

TEST(Help, OfNearSaysHowMuchSimHashFinds) {
  const std::string screen = verb_help(Verb::near);
  EXPECT_NE(screen.find("96%"), std::string::npos);
  EXPECT_NE(screen.find("83%"), std::string::npos);
}

TEST(Help, OfTheProgramNamesVerbsAndExitCodes) {
  const std::string screen = program_help();
  for (const std::string_view name : verb_names()) {
    EXPECT_NE(screen.find("\n  " + std::string(name) + " "), std::string::npos) << name;
  }
  for (const ExitCodeInfo& row : exit_codes()) {
    EXPECT_NE(screen.find("\n  " + std::to_string(row.code) + " "), std::string::npos) << row.code;
  }
}

TEST(Wrap, BreaksAtSpacesAndKeepsLongWords) {
  EXPECT_EQ(wrap("aa bb cc", 5, 0, 0), "aa bb\ncc\n");
  EXPECT_EQ(wrap("aa bb cc", 7, 3, 3), "aa\n   bb\n   cc\n");
  EXPECT_EQ(wrap("a bbbbbbbbb c", 5, 0, 0), "a\nbbbbbbbbb\nc\n");
}

TEST(ManPage, HoldsEveryVerbAndFlag) {
  const std::string page = man_page();
  const auto escaped = [](std::string_view spelling) {
    std::string out;
    for (const char c : spelling) out += c == '-' ? std::string("\\-") : std::string(1, c);
    return out;
  };
  for (const Flag& flag : flags())
    for (const std::string& spelling : flag.spellings())
      EXPECT_NE(page.find("\\fB" + escaped(spelling) + "\\fR"), std::string::npos) << spelling;
  for (const VerbInfo& verb : verbs()) EXPECT_NE(page.find(".SS refrain " + std::string(verb.name)), std::string::npos);
  for (const char* const section : {"NAME", "SYNOPSIS", "EXIT STATUS"}) {
    EXPECT_NE(page.find(std::string(".SH ") + section), std::string::npos) << section;
  }
}

TEST(Completion, HoldsEveryVerbAndFlag) {
  for (const std::string_view shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell);
    for (const Flag& flag : flags()) {
      for (std::string spelling : flag.spellings()) {
        if (shell == "fish") spelling = spelling.size() == 2 ? "-s " + spelling.substr(1) : "-l " + spelling.substr(2);
        EXPECT_NE(script.find(spelling), std::string::npos) << shell << " " << spelling;
      }
      if (flag.kind != Kind::choice) continue;
      for (const std::string_view choice : flag.listed()) EXPECT_NE(script.find(choice), std::string::npos) << choice;
    }
    for (const std::string_view name : verb_names()) EXPECT_NE(script.find(name), std::string::npos) << shell << name;
  }
}

}  // namespace
}  // namespace refrain::cli
