#include "corpus/markup/mail.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/attachment.h"
#include "refrain/context.h"

namespace refrain::corpus {
namespace {

std::string mail_text(std::string_view message, ComparedMail compare = ComparedMail::body) {
  MemoryBudget budget{Context{}};
  MailText mail(budget, compare);
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

std::string zeros(std::size_t count) {
  return std::string(count, '\0');
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
      // Text that a mailing list appends after base64.
      {typed("text/plain", "aGVsbG8=\n_____\nlist", "base64"), "hello_____\nlist"},
      {typed("application/pdf", "AAAA", "base64"), attachment_line("", "application/pdf", zeros(3))},
      {typed("nonsense", "body"), "body"},
  };
  for (const MailRow& row : rows) EXPECT_EQ(mail_text(row.message), row.text) << row.message;
}

// The simple decoder: one digit at a time.
std::string plain_base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  unsigned digits = 0;
  const auto put = [&] {
    for (unsigned i = 1; i < digits; ++i) out += static_cast<char>(bits >> (6 * digits - 8 * i) & 0xFFU);
    bits = digits = 0;
  };
  while (!bytes.empty()) {
    const std::size_t digit = kAlphabet.find(bytes.front());
    if (digit == std::string_view::npos && bytes.front() != '=' && bytes.front() != '\n') break;
    if (digit != std::string_view::npos) bits = bits << 6U | static_cast<std::uint32_t>(digit);
    if (digit != std::string_view::npos) ++digits;
    if (digits == 4 || bytes.front() == '=') put();
    bytes.remove_prefix(1);
  }
  put();
  return out.append(bytes);
}

TEST(Mail, Base64IsDecodedAsByTheSlowAndObviousWay) {
  constexpr std::string_view kCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/==\n\n-";
  std::mt19937 random(4);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    const std::size_t used = round % 2 == 0 ? 64 : kCharacters.size();
    for (std::size_t size = random() % 80; size > 0; --size)
      bytes += random() % 20 == 0 ? '\n' : kCharacters[random() % used];
    std::string decoded(bytes.size(), '\0');
    decoded.resize(decode_base64(bytes, decoded.data()));
    ASSERT_EQ(decoded, plain_base64(bytes)) << bytes;
  }
}

TEST(Mail, OfManyPartsTheTextIsRead) {
  const std::string plain = typed("text/plain", "plain");
  const std::string html = typed("text/html", "<b>html</b>");
  const std::string image = typed("image/png", "iVBORw0KGgo=", "base64");
  const std::string inner = "Content-Type: message/rfc822\n\nSubject: inner\n\nforwarded";
  const std::string png = attachment_line("", "image/png", "\x89PNG\r\n\x1a\n");
  const auto attached = [](const std::string& message) { return attachment_line("", "message/rfc822", message); };
  const MailRow rows[] = {
      {multipart("alternative", {plain, html}), "plain"},
      {multipart("alternative", {html, plain}), "plain"},
      {multipart("alternative", {html, image}), "html\n\n" + png},
      {multipart("alternative", {typed("text/plain", " \n"), html}), "html"},
      {multipart("alternative", {multipart("related", {html, image}, "y")}), "html\n\n" + png},
      {multipart("alternative", {plain, multipart("related", {html, image}, "y")}), "plain\n\n" + png},
      {multipart("alternative", {typed("text/plain", "no"), typed("text/html", "a page that says more")}),
       "a page that says more"},
      {multipart("mixed", {plain, image, html, inner}),
       "plain\n\nhtml\n\ninner\n\nforwarded\n\n" + png + "\n" + attached("Subject: inner\n\nforwarded")},
      {multipart("mixed", {plain, "Content-Type: message/rfc822\n\n" + multipart("mixed", {plain, image}, "y")}),
       "plain\n\nplain\n\n" + attached(multipart("mixed", {plain, image}, "y")) + "\n" + png},
      {multipart("mixed", {multipart("alternative", {plain, html}, "x-1"), typed("text/x-patch", "+line")}),
       "plain\n\n+line"},
      {multipart("digest", {"\nSubject: one\n\nbody", "\nSubject: two\n\nbody"}),
       "one\n\nbody\n\ntwo\n\nbody\n\n" + attached("Subject: one\n\nbody") + "\n" + attached("Subject: two\n\nbody")},
      {multipart("mixed", {"no headers"}), "no headers"},
      {"Content-Type: multipart/mixed; x; boundary*=us-ascii'en'z; y=\"a;b\"\n\n--z\n\nbody\n--z--\n", "body"},
      {"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogYQoKYg==", "a\n\nb"},
  };
  for (const MailRow& row : rows) EXPECT_EQ(mail_text(row.message), row.text) << row.message;
}

TEST(Mail, AttachmentsAreListedByNameAndContent) {
  const auto named = [](std::string_view headers, std::string_view content = "%PDF") {
    return multipart("mixed", {typed("text/plain", "body"), std::string(headers) + "\n\n" + std::string(content)});
  };
  const auto listed = [](std::string_view name, std::string_view type, std::string_view content = "%PDF") {
    return "body\n\n" + attachment_line(name, type, content);
  };
  const std::string pdf = "Content-Type: application/pdf";
  const std::string attachment = pdf + "\nContent-Disposition: attachment; ";
  const MailRow rows[] = {
      {named(pdf), listed("", "application/pdf")},
      {named(pdf + "; name=a.pdf"), listed("a.pdf", "application/pdf")},
      {named(attachment + "size=9; filename=\"b; \\\"c\\\".pdf\""), listed("b; \"c\".pdf", "application/pdf")},
      {named("Content-Type: Application/PDF; name=a\nContent-Disposition: inline; FileName=b"),
       listed("b", "application/pdf")},
      // RFC 2047
      {named(attachment + "filename=\"=?utf-8?B?R3LDvMOfZQ==?= =?iso-8859-1?q?_=FC?=.pdf\""),
       listed("Grüße ü.pdf", "application/pdf")},
      {named(attachment + "filename=\"Gr\xfc\xdf.pdf\""), listed("Grüß.pdf", "application/pdf")},
      // RFC 2231
      {named(attachment + "filename*=iso-8859-1'de'Gr%FC%DFe%20an; filename=gruesse"),
       listed("Grüße an", "application/pdf")},
      {named(attachment + "filename*1*=%9Fe;\n filename*0*=utf-8''Gr%C3%BC%C3; filename*2=\" %41.pdf\""),
       listed("Grüße %41.pdf", "application/pdf")},
      {named(attachment + "filename*0=a; filename*1=b; filename*x=c; filename*-1=d"), listed("ab", "application/pdf")},
      {named(attachment + "filename*=%41%"), listed("A%", "application/pdf")},
      // A text without a name is not an attachment.
      {named("Content-Type: text/plain; name=a.txt", "text"),
       "body\n\ntext\n\n" + attachment_line("a.txt", "text/plain", "text")},
      {named("Content-Disposition: Attachment", "text"),
       "body\n\ntext\n\n" + attachment_line("", "text/plain", "text")},
      {named("Content-Disposition: inline", "footer"), "body\n\nfooter"},
      {named("Content-Type: text/calendar", "BEGIN"),
       "body\n\nBEGIN\n\n" + attachment_line("", "text/calendar", "BEGIN")},
      {"Content-Type: text/plain; name=whole.txt\n\nall there is", "all there is"},
  };
  for (const MailRow& row : rows) EXPECT_EQ(mail_text(row.message), row.text) << row.message;
  // The same content in different encodings.
  const std::string lines = "one\ntwo\n";
  for (const std::string_view type : {"application/x-sh", "text/x-sh; name=n"}) {
    const std::string expected = mail_text(multipart("mixed", {typed(type, lines)}));
    EXPECT_EQ(mail_text(multipart("mixed", {typed(type, "one\r\ntwo\r\n")})), expected);
    EXPECT_EQ(mail_text(multipart("mixed", {typed(type, "one=0Atwo=0D=0A", "quoted-printable")})), expected);
  }
  for (const std::string_view encoded : {"b25lDQo=", "b25\nlDQ\no="})
    EXPECT_EQ(mail_text(multipart("mixed", {typed("a/b", encoded, "base64")})), attachment_line("", "a/b", "one\r\n"));
}

TEST(Mail, HeadersComeFirstWhereTheyAreCompared) {
  const std::string message =
      "Received: x\nTo: b@c,\n d@e\nFrom: =?utf-8?q?J=C3=BCrgen?= <a@b>\nSubject: s\nDate: Mon, 1 Jan 2024\n\nbody";
  EXPECT_EQ(mail_text(message), "s\n\nbody");
  const std::string with_headers = mail_text(message, ComparedMail::headers);
  EXPECT_EQ(with_headers, "From: Jürgen <a@b>\nTo: b@c, d@e\nDate: Mon, 1 Jan 2024\n\ns\n\nbody");
  EXPECT_EQ(leading_headers(with_headers), "From: Jürgen <a@b>\nTo: b@c, d@e\nDate: Mon, 1 Jan 2024");
  EXPECT_EQ(mail_text("Subject: s\n\nFrom: x", ComparedMail::headers), "s\n\nFrom: x");
  EXPECT_EQ(mail_text("From: =?utf-8?q?a=0A=0Ab?=\n\nbody", ComparedMail::headers), "From: a  b\n\nbody");
  EXPECT_EQ(leading_headers("s\n\nFrom: x"), "");
  EXPECT_EQ(leading_headers("From: x\nother\n\ns"), "");
  EXPECT_EQ(leading_headers("From: x"), "From: x");
  EXPECT_EQ(leading_headers(""), "");
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
