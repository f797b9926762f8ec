#include "corpus/markup/troff.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "refrain/context.h"

namespace refrain::corpus {
namespace {

std::string troff_text(std::string_view page) {
  MemoryBudget budget{Context{}};
  TroffText troff(budget);
  return std::string(troff.read(page, [](std::size_t) {}));
}

struct TroffRow {
  std::string_view page;
  std::string_view text;
};

TEST(Troff, ManualPagesSayTheirText) {
  const TroffRow rows[] = {
      {".\\\" a comment\n.TH LS 1 2020 GNU\n.SH NAME\nls \\- list\n", "NAME\nls - list"},
      {".SH \"TWO WORDS\"\none\n.PP\ntwo\n", "TWO WORDS\none\n\ntwo"},
      {"see\n.BR ls (1),\n.I the \"book of\" it\n.B bold\n", "see\nls(1),\nthe book of it\nbold"},
      {".TP\n.BI \\-a \" name\"\ndoes\n.IP \\(bu 4\nitem\n", "-a name\ndoes\n•\nitem"},
      {"a\n.sp 2\n.nf\nb\n.fi\n.in +4\nc\n", "a\n\nb\nc"},
      {"a\n\n\n\nb\n", "a\n\nb"},
      {".de XX\n.B hidden\n..\n.ig\nhidden\n..\n.de YY ZZ\nhidden\n.ZZ\nshown\n", "shown"},
      {".ie n \\{\\\nterminal\n.\\}\n.el \\{\\\nprinter\n.if n x\n.\\}\nboth\n", "terminal\nboth"},
      {".if t printer\n.if n terminal\n.if !t terminal too\n.if '\\*(.T'html' \\{\\\nasked\n.\\}\n",
       "terminal\nterminal too\nasked"},
      {".ds Gn GNU\\(em\n\\*(Gn is \\*[Gn] \\*(lqnot\\*(rq\n", "GNU— is GNU— “not”"},
      {".UR http://a/\n.UE\n.ZZ unknown macro\n.zz unknown request\n", "http://a/\nunknown macro"},
      {"one\\c\ntwo\nthree \\\nfour\n", "onetwo\nthree four"},
      {".so man1/ls.1\n", "man1/ls.1"},
      {".TS\nl l.\na\tb\n.TE\n.EQ\nx sup 2\n.EN\n", "l l.\na\tb\nx sup 2"},
      {"a\r\n.B b\r\n", "a\nb"},
      {"", ""},
      {".", ""},
      {"'br\n'\\\" comment\n. B spaced\n", "spaced"},
  };
  for (const TroffRow& row : rows) EXPECT_EQ(troff_text(row.page), row.text) << row.page;
}

TEST(Troff, MdocMacrosMayStandInEachOther) {
  const TroffRow rows[] = {
      {".Dd May 1\n.Dt LS 1\n.Os\n.Sh NAME\n.Nm ls\n.Nd list files\n", "NAME\nls\nlist files"},
      {".Nm ls\n.Op Fl al Ar\n.Op Fl o Ar file ...\n.Nm\nis\n", "ls\n[-al]\n[-o file ...]\nls\nis"},
      {".Bl -tag -width x\n.It Fl a , Fl b Ns = Ns Ar n\nboth\n.El\n", "-a, -b=n\nboth"},
      {".Xr ls 1 ,\n.Xr cp 1 .\n.Pq see Em this .\n.Dq quoted\n", "ls(1),\ncp(1).\n(see this).\n\"quoted\""},
      {".Fn main \"int argc\" \"char *argv\"\n.Oo a Oc\n.Fl\n.Bx 4.4\n", "main(int argc, char *argv)\n[a]\n-\nBSD 4.4"},
      {".Em \\&Ar is\n", "Ar is"},
  };
  for (const TroffRow& row : rows) EXPECT_EQ(troff_text(row.page), row.text) << row.page;
}

TEST(Troff, EscapesAreWhatTheyStandFor) {
  const TroffRow rows[] = {
      {"\\fBa\\fP \\f(CWb\\fR \\f[I]c\\f[]", "a b c"},
      {"\\-\\-x \\(em \\[em] \\(co \\[u00E9] \\[u0065_0301] \\['e] \\N'65' \\[char66]", "--x — — © é e\xcc\x81 é A B"},
      {"\\s-2small\\s0 \\s+1x\\s10y\\s(12z\\s[14]w\\s'3'v", "small xyzwv"},
      {"back\\eslash \\\\ \\&.dot a\\ b\\~c\\|d\\0e", "back\\slash \\ .dot a b cd e"},
      {"\\h'1i'a\\v'2'b\\w'xx'c\\n(xxd\\n+xe\\kxf\\zg\\o'oe'", "abcdefgoe"},
      {"text \\\" comment", "text "},
      {"\\(", ""},
      {"\\[never closed", "never closed"},
      {"\\*", ""},
      {"\\h'never closed", "'never closed"},
      {"\\(zz\\[nobody]\\*(zz", ""},
  };
  for (const TroffRow& row : rows) {
    TroffEscapes escapes;
    escapes.begin(0);
    std::string shown;
    escapes.decode(row.page, shown);
    EXPECT_EQ(shown, row.text) << row.page;
  }
  EXPECT_EQ(glyph("u110000"), "");
  EXPECT_EQ(glyph("uD800"), "");
}

TEST(Troff, AShortPageIsNoLongText) {
  std::string page = ".ds a " + std::string(200, 'x') + "\n.ds b \\*a\\*a\\*a\n";
  for (int i = 0; i < 100000; ++i) page += i % 1000 == 0 ? "\n" : "\\*a\\*b";
  EXPECT_LT(troff_text(page).size(), 3 * page.size());
  std::string named = ".Nm " + std::string(60000, 'x') + "\n";
  for (int i = 0; i < 30000; ++i) named += ".Nm\n";
  EXPECT_LT(troff_text(named).size(), 3 * named.size());
  std::string nested;
  for (int i = 0; i < 10000; ++i) nested += ".if n ";
  EXPECT_EQ(troff_text(nested + "deep"), "deep");
  std::string open;
  for (int i = 0; i < 200000; ++i) open += i % 5000 == 0 ? "\n" : "\\[\\h'\\*[";
  EXPECT_LE(troff_text(open).size(), open.size());
  // A line above the limit is not treated as a macro.
  const std::string line = ".B " + std::string(100000, 'x');
  EXPECT_EQ(troff_text(line + "\n.B y"), line + "\ny");
}

TEST(Troff, AnyBytesHaveAText) {
  std::mt19937 random(5);
  constexpr std::string_view kPieces[] = {".",       "'",    "\\", "\n",   "\\{",  "\\}", ".if ", ".ie n ",
                                          ".el ",    "\"",   " ",  "\\*(", "\\f",  "\\s", "\\[",  "]",
                                          ".de x\n", ".ds ", "Fl", ".Op ", ".Fn ", "x",   "\\h'"};
  for (int round = 0; round < 5000; ++round) {
    std::string page;
    for (std::size_t count = random() % 40; count > 0; --count) page += kPieces[random() % std::size(kPieces)];
    EXPECT_LE(troff_text(page).size(), 4 * page.size() + 100) << page;
  }
}

}  // namespace
}  // namespace refrain::corpus
