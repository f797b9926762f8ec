#include "base/attachment.h"

#include <gtest/gtest.h>

#include <string>

namespace refrain {
namespace {

constexpr const char* kSum = "9c1185a5c5e9fc54612808977ee8f548";

TEST(Attachment, ALineHasNameTypeSizeAndChecksum) {
  EXPECT_EQ(attachment_line("a.pdf", "application/pdf", "abc"),
            "[attachment: a.pdf, application/pdf, 3 bytes, 06b05ab6733a618578af5f94892f3950]");
  EXPECT_EQ(attachment_line("", "image/png", ""), "[attachment: image/png, 0 bytes, 99aa06d3014798d86001c324468d497f]");
}

TEST(Attachment, NoNameOrTypeBreaksTheLine) {
  for (const std::string& name : {std::string("a\nb, c]\r\n  d\x01"), std::string(10000, 'x'), std::string("\n"),
                                  std::string("x, image/png, 3 bytes, ") + kSum + "]"}) {
    const std::string line = attachment_line(name, "te xt/a,b", "content");
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_LT(line.size(), 400U);
    EXPECT_TRUE(has_attachments("text\n\n" + line));
    EXPECT_EQ(attachments_lost(line, attachment_line("other", "te xt/a,b", "content")), 0U) << line;
    EXPECT_EQ(attachments_lost(line, attachment_line(name, "te xt/a,b", "another")), 1U) << line;
  }
  std::string name;
  while (name.size() < 300) name += "ü";
  EXPECT_NE(attachment_line(name, "a/b", "").find("ü, a/b, "), std::string::npos);
}

TEST(Attachment, OnesThatTheOtherTextLacksAreLost) {
  const std::string one = attachment_line("1", "a/b", "one") + "\n";
  const std::string two = attachment_line("2", "a/b", "two") + "\n";
  const std::string other_type = attachment_line("1", "a/c", "one");
  EXPECT_EQ(attachments_lost("no line", one), 0U);
  EXPECT_EQ(attachments_lost(one + two, "no line"), 2U);
  EXPECT_EQ(attachments_lost(one + one, "no line"), 1U);
  EXPECT_EQ(attachments_lost("text\n" + two + one, "other\n" + one + two), 0U);
  EXPECT_EQ(attachments_lost(one + two, two), 1U);
  EXPECT_EQ(attachments_lost(one, other_type), 1U);
  EXPECT_EQ(attachments_lost("text\r\n" + two.substr(0, two.size() - 1) + "\r\n", two), 0U);
}

TEST(Attachment, WhatOnlyLooksLikeALineIsText) {
  const std::string line = attachment_line("n", "a/b", "");
  const std::string key = std::string(", 3 bytes, ") + kSum + "]";
  for (const std::string& text : {" " + line, "> " + line, line + ".", line.substr(0, line.size() - 1),
                                  std::string("[attachment: ]"), std::string("[attachment: a.pdf]"),
                                  "[attachment: type" + key, std::string("[attachment: a/b, bytes, ") + kSum + "]",
                                  std::string("[attachment: a/b, 3 bytes, 0123]"), std::string("[attachment: ")})
    EXPECT_FALSE(has_attachments(text)) << text;
  EXPECT_TRUE(has_attachments("[attachment: a/b" + key));
}

}  // namespace
}  // namespace refrain
