#include "corpus/markup/mail.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "refrain/context.h"

namespace refrain::corpus {
namespace {

std::string mail_text(std::string_view message) {
  MemoryBudget budget{Context{}};
  MailText mail(budget);
  return std::string(mail.read(message, [](std::size_t) {}));
}

std::string typed(std::string_view type, std::string_view body, std::string_view coding = "8bit") {
  return "Content-Type: " + std::string(type) + "\nContent-Transfer-Encoding: " + std::string(coding) + "\n\n" +
         std::string(body);
}

std::string multipart(std::string_view kind, const std::vector<std::string>& parts, const std::string& boundary = "x") {
  std::string message =
      "Content-Type: multipart/" + std::string(kind) + "; boundary=\"" + boundary + "\"\n\npreamble\n";
  for (const std::string& part : parts) message += "--" + boundary + "\n" + part + "\n";
  return message + "--" + boundary + "--\nepilogue\n";
}

struct MailRow {
  std::string message;
  std::string text;
};

TEST(Mail, SaysItsSubjectAndItsText) {
  const MailRow rows[] = {
      {"Subject: News\nFrom: a\n\nHello,\n> quoted\nworld\n", "News\n\nHello,\n> quoted\nworld"},
      {"From: a\nTo: b\n\nno subject\n", "no subject"},
      {"Subject: alone\n", "alone"},
      {"Subject: over\n two\n\tlines\r\n\r\nbody\r\nagain\r\n", "over two lines\n\nbody\nagain"},
      {"subject:small\n\n\n\nbody \n\n", "small\n\nbody"},
      {"From a@b Sat Jan  3 01:05:34 1996\n>From c\nSubject: s\n\nb", "s\n\nb"},
      {"Subject: no blank line\nhere the body begins\n", "no blank line\n\nhere the body begins"},
      {"just some text\n\nand more", "just some text\n\nand more"},
      {"", ""},
  };
  for (const MailRow& row : rows) EXPECT_EQ(mail_text(row.message), row.text) << row.message;
}

TEST(Mail, EncodedWordsOfASubjectAreDecoded) {
  const MailRow rows[] = {
      {"=?utf-8?B?R3LDvMOfZQ==?=", "Grüße"},
      {"=?ISO-8859-1?Q?Gr=FC=DFe_an?= alle", "Grüße an alle"},
      {"Re: =?utf-8?q?a?=  =?utf-8?q?b?= c", "Re: ab c"},
      {"=?utf-8?B?ww==?= =?utf-8?B?vA==?=", "ü"},  // a character in two words
      {"=?utf-8*de?q?a?= =?koi8-r?q?=C1?=", "aа"},
      {"=?utf-8?x?a?= =?open =?utf-8?q?a", "=?utf-8?x?a?= =?open =?utf-8?q?a"},
      {"=?nobody-knows?q?a=20b?=", "a b"},
      {"Gr\xfc\xdf"
       "e",
       "Grüße"},
  };
  for (const MailRow& row : rows) EXPECT_EQ(mail_text("Subject: " + row.message + "\n\n"), row.text) << row.message;
}

TEST(Mail, EncodingsAndCharsetsAreUndone) {
  const MailRow rows[] = {
      {typed("text/plain; charset=utf-8", "R3LDvMOf\nZQ==\n", "base64"), "Grüße"},
      {typed("text/plain; charset=\"ISO-8859-1\"", "Gr=FC=DFe=\nr =3D =zz=20", "Quoted-Printable"), "Grüßer = =zz"},
      {typed("text/plain; charset=koi8-r", "\xc1\xc2"), "аб"},
      {typed("text/plain; charset=us-ascii", "Gr\xc3\xbc\xc3\x9f"), "Grüß"},
      {typed("text/plain; charset=utf-8", "Gr\xfc\xdf."), "Grüß."},
      {typed("text/plain; charset=nobody-knows", "plain"), "plain"},
      {typed("text/html", "<p>one &amp;</p><p>two"), "one &\ntwo"},
      {typed("text/html; charset=latin1", "PHA+/DwvcD4=", "base64"), "ü"},
      // What a mailing list adds behind base64.
      {typed("text/plain", "aGVsbG8=\n_____\nlist", "base64"), "hello_____\nlist"},
      {typed("application/pdf", "AAAA", "base64"), "[application/pdf 4 0ff323f9]"},
      {typed("nonsense", "body"), "body"},
  };
  for (const MailRow& row : rows) EXPECT_EQ(mail_text(row.message), row.text) << row.message;
}

TEST(Mail, OfManyPartsTheTextIsRead) {
  const std::string plain = typed("text/plain", "plain");
  const std::string html = typed("text/html", "<b>html</b>");
  const std::string image = typed("image/png", "iVBORw0KGgo=", "base64");
  const std::string inner = "Content-Type: message/rfc822\n\nSubject: inner\n\nforwarded";
  const MailRow rows[] = {
      {multipart("alternative", {plain, html}), "plain"},
      {multipart("alternative", {html, plain}), "plain"},
      {multipart("alternative", {html, image}), "html"},
      {multipart("alternative", {typed("text/plain", " \n"), html}), "html"},
      {multipart("alternative", {multipart("related", {html, image}, "y")}), "html\n\n[image/png 12 8a0ca939]"},
      {multipart("alternative", {typed("text/plain", "no"), typed("text/html", "a page that says more")}),
       "a page that says more"},
      {multipart("mixed", {plain, image, html, inner}),
       "plain\n\n[image/png 12 8a0ca939]\n\nhtml\n\ninner\n\nforwarded"},
      {multipart("mixed", {multipart("alternative", {plain, html}, "x-1"), typed("text/x-patch", "+line")}),
       "plain\n\n+line"},
      {multipart("digest", {"\nSubject: one\n\nbody", "\nSubject: two\n\nbody"}), "one\n\nbody\n\ntwo\n\nbody"},
      {multipart("mixed", {"no headers"}), "no headers"},
      {"Content-Type: multipart/mixed; x; boundary*=us-ascii'en'z; y=\"a;b\"\n\n--z\n\nbody\n--z--\n", "body"},
      {"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogYQoKYg==", "a\n\nb"},
  };
  for (const MailRow& row : rows) EXPECT_EQ(mail_text(row.message), row.text) << row.message;
}

TEST(Mail, WhatIsDamagedIsTextAsItStands) {
  const MailRow rows[] = {
      {"Content-Type: multipart/mixed\n\n--x\n\nbody", "--x\n\nbody"},
      {"Content-Type: multipart/mixed; boundary=y\n\nno such line", "no such line"},
      {"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nfirst\n--x\n\nnever closed", "first\n\nnever closed"},
      {"Content-Type: multipart/mixed; boundary=\"x\n\n--x\n\nbody", "body"},
      {"Content-Type: multipart/mixed; boundary=x\n\n--xy\n--x\n\nbody\n--x-\n", "body\n--x-"},
  };
  for (const MailRow& row : rows) EXPECT_EQ(mail_text(row.message), row.text) << row.message;
}

TEST(Mail, DeepAndRepetitiveMessagesTakeLinearTime) {
  std::string deep;
  for (int i = 0; i < 2000; ++i)
    deep +=
        "Content-Type: multipart/alternative; boundary=b" + std::to_string(i) + "\n\n--b" + std::to_string(i) + "\n";
  EXPECT_NE(mail_text(deep + "\nthe end").find("the end"), std::string::npos);
  std::string forwards;
  for (int i = 0; i < 100000; ++i) forwards += "Content-Type: message/rfc822\n\n";
  EXPECT_NE(mail_text(forwards + "\nthe end").find("the end"), std::string::npos);
  std::string parts = "Content-Type: multipart/alternative; boundary=b\n\n";
  for (int i = 0; i < 200000; ++i) parts += "--b\nContent-Type: text/html; charset=koi8-r\n\n\n";
  EXPECT_EQ(mail_text(parts + "--b\n\nthe end"), "the end");
  std::string subject = "Subject: ";
  for (int i = 0; i < 200000; ++i) subject += "=?koi8-r?q?=C1?= =?utf-8?q?a ";
  EXPECT_GT(mail_text(subject).size(), 1000U);
}

TEST(Mail, AnyBytesHaveAText) {
  std::mt19937 random(3);
  const std::string whole = multipart(
      "mixed",
      {multipart("alternative",
                 {typed("text/plain", "=41=", "quoted-printable"), typed("text/html", "<p>&amp;", "base64")}, "y"),
       "Content-Type: message/rfc822\n\nSubject: =?utf-8?q?a?=\n\nb"});
  for (int round = 0; round < 3000; ++round) {
    std::string message = whole;
    for (std::size_t changes = 1 + random() % 8; changes > 0; --changes) {
      const std::size_t at = random() % message.size();
      if (random() % 2 == 0)
        message[at] = static_cast<char>(random() % 256);
      else
        message.erase(at, random() % 5);
    }
    EXPECT_LE(mail_text(message).size(), 4 * message.size());
  }
}

}  // namespace
}  // namespace refrain::corpus
