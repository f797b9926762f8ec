#include "corpus/formats/recognize.h"

#include <gtest/gtest.h>

#include <string>

namespace refrain::corpus {
namespace {

using Content = Recognized::Content;

struct RecognizeRow {
  std::string beginning;
  std::string_view path;
  Content content;
};

TEST(Recognize, MailManualPagesAndText) {
  const std::string mail = "From: a\nSubject: b\nX-C: d\n\nbody";
  const RecognizeRow rows[] = {
      {mail, "a", Content::mail},
      {mail, "a.txt", Content::mail},
      {"Return-Path: <a>\r\nReceived: from x\r\n\tby y\r\nDate: z\r\n\r\n", "a", Content::mail},
      {"From - Sat Jan  3 01:05:34 1996\n" + mail, "a", Content::mail},
      {"Received: " + std::string(9000, 'x'), "a", Content::text},
      {"From: a\nSubject: b\nX: " + std::string(9000, 'x'), "a", Content::text},  // only two headers are complete
      {"From: a\nSubject: b\nTo: c\nX: " + std::string(9000, 'x'), "a", Content::mail},
      {"From: a\nSubject: b\n\nbody", "a", Content::text},
      {"From: a\nSubject: b\nX-C: d\n", "a", Content::text},
      {"From: a\nSubject: b\nnot a header\n\n", "a", Content::text},
      {"Package: a\nVersion: 1\nDate: 2\n\n", "control", Content::text},
      {"Subject: b\nTo: c\nDate: 2\n\n", "a", Content::text},
      {".\\\" comment\n", "a", Content::troff},
      {"'\\\" t\n.TH A 1\n", "a.gz", Content::troff},
      {".TH A 1\n", "a", Content::troff},
      {"\n.Dd May 1\n", "a", Content::troff},
      {".so man1/a.1\n", "a", Content::troff},
      {"text first\n.SH NAME\n", "a.1.gz", Content::troff},
      {"text first\n.SH NAME\n", "a.3posix", Content::troff},
      {"text first\n.SH NAME\n", "a.MAN", Content::troff},
      {"text first\n.SH NAME\n", "a.txt", Content::text},
      {"Jan 1 a line of a log\n", "syslog.1", Content::text},
      {".. note:: of another language\n", "a.rst", Content::text},
      {"...and so on\n", "a.1", Content::text},
      {"", "a.1", Content::text},
      {"<html>" + mail, "a", Content::html},
      {"<svg xmlns='http://www.w3.org/2000/svg'><text>a</text></svg>", "a.html", Content::other},
      {"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC 'x'>\n<svg>", "a",
       Content::other},
      {"The tag <svg> begins a drawing", "a.txt", Content::text},
      {"<html><svg></svg>", "a", Content::html},
      {"filedesc://a.arc 0.0.0.0 2009 text/plain 76\n", "a", Content::other},
  };
  for (const RecognizeRow& row : rows)
    EXPECT_EQ(static_cast<int>(recognize(row.beginning.substr(0, kBinaryBytes), row.path).content),
              static_cast<int>(row.content))
        << row.beginning.substr(0, 100);
}

TEST(Recognize, Mailboxes) {
  EXPECT_TRUE(begins_mailbox("From a@b Sat Jan  3 01:05:34 1996\nFrom: a\n"));
  EXPECT_TRUE(begins_mailbox("From - Sat Jan  3 1:05 1996\r\n>From b\nTo: a\n"));
  EXPECT_FALSE(begins_mailbox("From a@b Sat Jan  3 01:05:34 1996\n\nSubject: a\n"));
  EXPECT_FALSE(begins_mailbox("From here on\nNote: this\n"));
  EXPECT_FALSE(begins_mailbox("From a 1:05"));
  EXPECT_FALSE(begins_mailbox("Subject: 1:05\nFrom: a\n"));
  EXPECT_FALSE(begins_mailbox(""));
}

}  // namespace
}  // namespace refrain::corpus
