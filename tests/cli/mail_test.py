"""E-mail, mailboxes, manual pages and old web archives are read as the text they contain."""

import email.policy
import glob
import gzip
import json
import mailbox
import os
import random
import re
from email.message import EmailMessage

from program import TestCase, main

RANDOM = random.Random(8)
WORDS = ["größer", "naïve", "plain", "text", "of", "a", "message", "déjà", "smörgås", "and", "more", "=3D", ">From",
         "?=", "--", "ой"]


def words(count):
    return " ".join(RANDOM.choice(WORDS) + str(RANDOM.randrange(100)) for _ in range(count))


def body(charset):
    text = "\n".join(words(RANDOM.randrange(1, 30)) for _ in range(RANDOM.randrange(1, 6)))
    return text.encode(charset, "ignore").decode(charset)


def mail(number):
    """Returns a message, as Python builds it, and its text."""
    message = EmailMessage(policy=email.policy.SMTP if number % 2 else email.policy.default)
    charset = RANDOM.choice(["utf-8", "latin-1", "koi8-r", "utf-8"])
    text = body(charset)
    message["From"] = "a@example.org"
    message["To"] = "b@example.org"
    message["Subject"] = words(RANDOM.randrange(1, 12))
    message["Message-ID"] = f"<{number}@example.org>"
    cte = RANDOM.choice(["base64", "quoted-printable", "8bit"])
    if number % 5 == 0:
        message.set_content(f"<html><body><p>{words(20)}</p></body></html>".replace(">From", "From"), subtype="html",
                            charset="utf-8", cte=cte)
        text = message.get_content().replace("<html><body><p>", "").replace("</p></body></html>", "")
        text = text.replace("\n", " ").strip()
    else:
        message.set_content(text, charset=charset, cte=cte)
    if number % 3 == 0 and number % 5:
        message.add_alternative("<p>the same in <b>HTML</b></p>", subtype="html")
    if number % 4 == 0:
        message.add_attachment(RANDOM.randbytes(300), maintype="image", subtype="png", filename="a.png")
    # Python loses or doubles some spaces when it writes a long subject.
    read = email.message_from_bytes(message.as_bytes(), policy=email.policy.default)
    return message, single_spaced(f"{read['Subject']}\n\n{text}")


def single_spaced(text):
    return re.sub(" +", " ", text)


def without_attachments(text):
    return re.sub(r"(\n\n)?\[attachment: a\.png, image/png, 300 bytes, [0-9a-f]{32}\]", "", text)


PROSE = "\n".join(f"This is line {i} of a letter that several people get, word for word the same as all the others."
                  for i in range(40))


def letter(number, *attachments, body=PROSE, to="all@example.org"):
    """Makes a message with the same subject and body as any other; attachments are pairs of a name and bytes."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.org", to, "Letter"
    message["Date"] = f"Mon, {number + 1:02} Jan 2024 00:00:00 +0000"
    message["Message-ID"] = f"<letter-{number}@example.org>"
    message.set_content(body)
    for name, content in attachments:
        message.add_attachment(content, maintype="application", subtype="pdf", filename=name)
    return message


class Mail(TestCase):
    def texts(self, *arguments):
        return {row["id"]: single_spaced(row["text"])
                for row in map(json.loads, self.run_program("text", *arguments).out.splitlines())}

    def dedup(self, *arguments, output="out"):
        return json.loads(self.run_program("dedup", *arguments, "-o", output, "--json").out)

    def test_mail_says_what_python_says_that_it_says(self):
        expected = {}
        for number in range(120):
            message, expected[f"in/{number:03}.eml"] = mail(number)
            self.write(f"in/{number:03}.eml", message.as_bytes(policy=message.policy.clone(mangle_from_=False)))
        self.assertEqual({name: without_attachments(text) for name, text in self.texts("in").items()}, expected)
        self.assertEqual(self.dedup("in")["mails"], 120)
        self.assertIn("Message-ID:", self.texts("in/000.eml", "--as-is")["in/000.eml"])

    def test_mails_with_other_attachments_are_no_copies(self):
        for number in range(3):
            message = EmailMessage()
            message["From"], message["To"], message["Subject"] = "a@b.c", "d@e.f", "Scan"
            message["Date"] = "Mon, 1 Jan 2024 00:00:00 +0000"
            message.add_attachment(bytes([number // 2] * 900), maintype="application", subtype="pdf",
                                   filename="scan.pdf")
            self.write(f"in/{number}.eml", message.as_bytes())
        self.assertEqual(self.dedup("in")["kept"], 2)

    def decisions(self, output="out"):
        return {row["id"]: row for row in map(json.loads, self.read(output, "decisions.jsonl").splitlines())}

    def test_a_mail_is_never_removed_for_one_that_lacks_an_attachment_of_it(self):
        a, b = (bytes([i]) * 5000 for i in (1, 2))
        letters = [letter(0), letter(1, ("a.pdf", a)), letter(2, ("b.pdf", b)), letter(3),
                   letter(4, ("a, copy.pdf", a)), letter(5, ("a.pdf", a), ("b.pdf", b), body=PROSE + "\nP. S.")]
        box = mailbox.mbox(self.path("all.mbox"), create=True)
        for number, message in enumerate(letters):
            self.write(f"in/{number}.eml", message.as_bytes(policy=email.policy.SMTP))
            self.write(f"Maildir/cur/{number}.host:2,S", message.as_bytes())
            box.add(message.as_bytes())
        box.close()
        for source, name in (("in", "in/{}.eml"), ("Maildir", "Maildir/cur/{}.host:2,S"),
                             ("all.mbox", "letter-{}@example.org")):
            for flags in ((), ("--max-loss", "any"), ("--near", "simhash"), ("--templates", "off")):
                with self.subTest(source=source, flags=flags):
                    summary = self.dedup(source, *flags, "--force")
                    rows = [self.decisions()[name.format(number)] for number in range(6)]
                    # 3 is a copy of 0, and 4 has the attachment of 1 under another name.
                    self.assertEqual([row["keep"] for row in rows], [True, True, True, False, False, True], rows)
                    self.assertEqual((rows[3]["match"], rows[4]["match"]), (name.format(0), name.format(1)))
                    self.assertEqual([row.get("lost_attachments") for row in rows], [None, 1, 1, None, None, 1])
                    self.assertEqual(summary["check"]["below_threshold"], 0)
                    self.assertEqual((summary["check"]["missed"], summary["own_text"]), (0, 3))
                    # The message that has all attachments is kept instead of all others.
                    self.dedup(source, *flags, "--force", "--keep", "longest")
                    self.assertEqual([row["id"] for row in self.decisions().values() if row["keep"]], [name.format(5)])
        self.dedup("in", "--force", "--max-loss", "any")
        told = self.run_program("explain", "--run", "out", "in/1.eml").out.decode()
        self.assertIn("similar to in/0.eml, which lacks 1 attachment of it\n", told)
        self.assertRegex(self.read("out", "report.html").decode(),
                         "3 documents similar to a kept document, each with an attachment that")

    def test_attachments_count_in_libraries_too(self):
        self.write("old/0.eml", letter(0).as_bytes())
        self.write("old/1.eml", letter(1, ("a.pdf", b"a" * 99)).as_bytes())
        self.write("new/2.eml", letter(2, ("b.pdf", b"b" * 99)).as_bytes())
        self.write("new/3.eml", letter(3, ("a.pdf", b"a" * 99), body=PROSE + "\nP. S.").as_bytes())
        self.write("new/4.eml", letter(4, ("b.pdf", b"b" * 99), body=PROSE + "\nP. S.").as_bytes())
        for flags in ((), ("--max-loss", "any")):
            self.dedup("old", *flags, "--force", output="past")
            self.dedup("new", "--known", "past", *flags, "--force")
            rows = self.decisions()
            self.assertEqual({name: row["match"] for name, row in rows.items() if not row["keep"]},
                             {"new/3.eml": "old/1.eml", "new/4.eml": "new/2.eml"})
            self.assertEqual((rows["new/2.eml"]["reason"], rows["new/2.eml"]["lost_attachments"]), ("own_text", 1))
        # Signatures do not represent attachments, so they are not trusted if there are any.
        os.rename(self.path("old"), self.path("away"))
        self.dedup("new", "--known", "past", "--max-loss", "any", "--trust-signatures", "--force")
        self.assertEqual([row["keep"] for row in self.decisions().values()], [True, True, False])

    def test_attachments_are_named_wherever_they_are(self):
        message = letter(0, ("Übersicht 2024.pdf", b"one"))
        message.add_attachment(letter(1, ("inner.pdf", b"two")))
        message.add_attachment("some notes", filename="notes.txt")
        self.write("in/a.eml", message.as_bytes())
        # As sent by Apple Mail: the attachment is inside an alternative that is not read.
        alternative = EmailMessage()
        alternative["From"], alternative["To"], alternative["Subject"] = "a@b.c", "d@e.f", "News"
        alternative["Date"] = "Mon, 1 Jan 2024 00:00:00 +0000"
        alternative.set_content("The plain text.")
        alternative.add_alternative("<p>The plain text.</p><img src='cid:1'>", subtype="html")
        alternative.get_payload()[1].add_related(b"pixels", maintype="image", subtype="png", cid="<1>",
                                                 filename="logo.png")
        self.write("in/b.eml", alternative.as_bytes())
        texts = self.texts("in")
        listed = re.findall(r"(?m)^\[attachment: (.*), (\S+), (\d+) bytes, [0-9a-f]{32}\]$", texts["in/a.eml"])
        self.assertEqual([(name, kind) for name, kind, _ in listed],
                         [("Übersicht 2024.pdf", "application/pdf"), ("inner.pdf", "application/pdf"),
                          ("notes.txt", "text/plain")])
        self.assertRegex(texts["in/a.eml"], r"(?m)^\[attachment: message/rfc822, \d+ bytes, ")
        self.assertIn("some notes", texts["in/a.eml"])
        self.assertRegex(texts["in/b.eml"],
                         r"^News\n\nThe plain text\.\n\n\[attachment: logo\.png, image/png, 6 bytes, [0-9a-f]{32}\]$")

    def test_headers_count_where_that_is_asked_for(self):
        box = mailbox.mbox(self.path("all.mbox"), create=True)
        for number, to in enumerate(("ann@example.org", "bob@example.org", "bob@example.org")):
            message = letter(0 if number else 7, to=to)
            self.write(f"in/{number}.eml", message.as_bytes())
            del message["Message-ID"]
            message["Message-ID"] = f"<{number}@example.org>"
            box.add(message.as_bytes())
        box.close()
        for source, one in (("in", "in/1.eml"), ("all.mbox", "1@example.org")):
            summary = self.dedup(source, "--force")
            self.assertEqual((summary["kept"], summary["mails"]), (1, 3))
            told = self.run_program("explain", "--run", "out", one).out.decode()
            self.assertIn("\nOf e-mail, subject, text and attachments are compared; --compare headers adds From,"
                          " To, Cc and Date.\n"
                          "  Date: Mon, 01 Jan 2024 00:00:00 +0000\n        Mon, 08 Jan 2024 00:00:00 +0000\n"
                          "  To:   bob@example.org\n        ann@example.org\n", told)
            self.assertNotIn("byte for byte", told)
            self.assertIn("\nSubjects, texts and attachments are identical.\n", told)
            told = json.loads(self.run_program("explain", "--run", "out", one, "--json").out)
            self.assertEqual([header["name"] for header in told["differing_headers"]], ["Date", "To"])
            page = self.read("out", "report.html").decode()
            self.assertIn("Other headers may differ", page)
            self.assertIn("kept: ann@example.org; removed: bob@example.org", page)
            summary = self.dedup(source, "--force", "--compare", "headers", "--near", "off")
            self.assertEqual((summary["kept"], summary["options"]["compare"]), (2, "headers"))
            self.assertIn("The texts are identical, byte for byte.",
                          self.run_program("explain", "--run", "out", one.replace("1", "2")).out.decode())
        self.assertTrue(self.texts("in", "--compare", "headers")["in/0.eml"].startswith(
            "From: a@example.org\nTo: ann@example.org\nDate: Mon, 08 Jan 2024 00:00:00 +0000\n\nLetter\n\nThis is"))
        self.dedup("in", output="past")
        error = self.run_program("dedup", "in", "--known", "past", "--compare", "headers", "-o", "no", code=2).err
        self.assertIn("made with --compare none, but this run has headers", error)
        error = self.run_program("dedup", "in", "--compare", "headers", "--as-is", "-o", "no", code=2).err
        self.assertIn("--compare: has no effect with --as-is", error)

    def test_an_alternative_that_only_excuses_itself_is_not_what_the_mail_says(self):
        for number in range(2):
            message = EmailMessage()
            message["From"], message["To"], message["Subject"] = "a@b.c", "d@e.f", "News"
            message["Date"] = "Mon, 1 Jan 2024 00:00:00 +0000"
            message.set_content("Your program cannot show this.")
            message.add_alternative(f"<p>{' '.join(f'word{number}x{i}' for i in range(100))}</p>", subtype="html")
            self.write(f"in/{number}.eml", message.as_bytes())
        self.assertEqual(self.dedup("in")["kept"], 2)

    def test_a_mailbox_is_its_messages_and_loses_copies_alone(self):
        messages = [mail(number) for number in range(60)]
        box = mailbox.mbox(self.path("all.mbox"), create=True)
        for message, _ in messages + messages[:20]:
            box.add(message.as_bytes(policy=message.policy.clone(linesep="\n")))
        box.close()
        found = [json.loads(line) for line in self.run_program("text", "all.mbox").out.splitlines()]
        self.assertEqual([(row["id"], single_spaced(without_attachments(row["text"]))) for row in found],
                         [(message["Message-ID"][1:-1], text) for message, text in messages + messages[:20]])
        summary = self.dedup("all.mbox", "--apply")
        self.assertEqual((summary["documents"], summary["kept"]), (80, 60))
        whole = self.read("all.mbox")
        end = [at for at in range(len(whole)) if whole.startswith(b"\n\nFrom ", at)][59] + 2
        self.assertEqual(self.read("out", "clean", "all.mbox"), whole[:end])
        # Compressed, under other names, and as one document.
        self.write("in/Inbox", whole)
        self.write("in/2010-March.txt.gz", gzip.compress(whole))
        self.assertEqual(self.dedup("in", "--apply", output="packed")["documents"], 160)
        self.assertEqual(gzip.decompress(self.read("packed", "clean", "in", "2010-March.txt.gz")), whole[:end])
        self.assertEqual(len(self.texts("in", "--format", "files")), 2)
        self.assertEqual(len(self.texts("all.mbox", "--id-field", "subject")),
                         len({text.split("\n")[0] for _, text in messages}))
        self.assertEqual(len(self.run_program("text", "-", "--format", "mbox", stdin=whole).out.splitlines()), 80)
        error = self.run_program("substrings", "all.mbox", "--format", "mbox", "--apply", "-o", "cut", code=3).err
        self.assertIn("cannot cut passages out of a mailbox", error)

    def test_subjects_in_many_charsets_cost_no_more_than_others(self):
        charsets = ["koi8-r", "cp866", "iso-8859-5", "windows-1251", "iso-8859-2", "iso-8859-7", "big5", "euc-jp",
                    "gb18030", "euc-kr", "koi8-u", "cp437", "cp850", "cp852", "iso-8859-15", "iso-8859-3", "iso-8859-9",
                    "tis-620", "windows-1250", "windows-1253"]
        many = " ".join(f"=?{charset}?q?word?=" for charset in charsets) + " "
        one = "From a@b Mon Jan  1 00:00:00 2024\nFrom: a@b\nTo: c@d\nSubject: " + many * 30 + "\n\nbody\n\n"
        self.write("many.mbox", one * 130)
        with self.at_most(4):
            found = self.texts("many.mbox")
        self.assertEqual(len(found), 130)
        self.assertEqual(found["many.mbox:1"], "word" * 600 + "\n\nbody")
        # The state left by one encoded word does not carry over into the next.
        cut = "=?iso-2022-jp?b?GyRCJCI=?="  # does not switch back to ASCII
        self.write("cut.mbox", one.replace(many * 30, f"{cut} =?koi8-r?q?=C1?= =?iso-2022-jp?q?abc?=", 1))
        self.assertEqual(self.texts("cut.mbox")["cut.mbox:1"], "あаabc\n\nbody")

    def test_conditions_in_a_line_of_a_manual_page_cost_no_more_than_their_bytes(self):
        self.write("in/a.1",
                   ".TH A 1\n" + (".if n " * 5000 + "\\&" * 16000 + "\n") * 16 + "text at the end of the page\n")
        with self.at_most(3):
            self.assertIn("text at the end", self.texts("in")["in/a.1"])

    def test_what_only_looks_like_mail_is_text(self):
        texts = {"in/a": "From here on it is a text.\nNote: it has colons.\n",
                 "in/b.txt": "Subject: none\nTo: nobody\nDate: never\n\nx",
                 "in/c": "From: the sea\nSubject: waves\nno header this\n\nx"}
        for name, text in texts.items():
            self.write(name, text)
        self.assertEqual(self.texts("in"), texts)
        self.assertEqual(self.dedup("in")["mails"], 0)

    def test_manual_pages_are_compared_without_their_macros(self):
        prose = "\n".join(words(9).replace("--", "") for _ in range(30))
        self.write("in/a.1", '.\\" a comment\n.TH A 1\n.SH NAME\na \\- does it\n.PP\n'
                             f'.B {prose.replace(chr(10), chr(10) + ".B ")}\n')
        self.write("in/b.1.gz",
                   gzip.compress(f"'\\\" t\n.TH B 1 today\n.SH NAME\na \\- does it\n.LP\n{prose}\n".encode()))
        self.write("in/c.mdoc", f".Dd today\n.Dt C 1\n.Os\n.Sh NAME\n.Nm a\n.Nd does it\n.Pp\n{prose}\n")
        self.write("in/d.txt", "NAME\na - does it\n\n" + prose)
        summary = self.dedup("in")
        self.assertEqual((summary["documents"], summary["manual_pages"], summary["kept"]), (4, 3, 1))
        self.assertEqual(self.dedup("in", "--as-is", output="raw")["manual_pages"], 0)
        self.assertEqual(self.texts("in")["in/a.1"], self.texts("in")["in/b.1.gz"])

    def test_real_manual_pages(self):
        pages = sorted(path for path in glob.glob("/usr/share/man/man[1-8]/*.gz") if not os.path.islink(path))[:300]
        if len(pages) < 300:
            self.skipTest("there are no manual pages here")
        found = self.texts(*pages)
        for path, text in found.items():
            with gzip.open(path, "rb") as file:
                raw = file.read()
            if raw.startswith(b".so "):
                continue
            self.assertLess(len(text.encode()), len(raw) * 1.1, path)
            self.assertFalse([line for line in text.split("\n") if line.startswith((".SH", ".TH", ".PP", ".\\\""))],
                             path)
            self.assertNotIn("\\fB", text, path)
        self.assertGreater(sum("NAME" in text for text in found.values()), 250)

    def test_arc_is_read_as_warc_is(self):
        def record(url, kind, block, more=b""):
            return b"%s 127.0.0.1 20010203040506 %s %s%d\n%s\n" % (url, kind, more, len(block), block)

        def page(number, more=b""):
            html = f"<title>{number}</title><p>{texts[number]}".encode()
            return record(b"http://a/%d" % number, b"text/html",
                          b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html, more)

        texts = [words(80).replace("&", "") for _ in range(20)]
        head = record(b"filedesc://a.arc", b"text/plain",
                      b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n")
        records = [head] + [page(number) for number in range(20)]
        records += [page(number, b"200 - - 0 a.arc ") for number in range(5)]
        self.write("in/a.arc", b"".join(records))
        self.write("in/b.arc.gz", b"".join(gzip.compress(one) for one in records))
        summary = self.dedup("in", "--apply")
        self.assertEqual((summary["documents"], summary["kept"], summary["other_skipped"]), (50, 20, 2))
        self.assertEqual(self.read("out", "clean", "in", "a.arc"), b"".join(records[:21]))
        self.assertEqual(gzip.decompress(self.read("out", "clean", "in", "b.arc.gz")), head)
        self.assertEqual(self.texts("in/a.arc")["http://a/3"], "3\n" + texts[3])


if __name__ == "__main__":
    main()
