"""E-mail, mailboxes, manual pages and old web archives are read as what they say."""

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
WORDS = ["größer", "naïve", "plain", "text", "of", "a", "message", "déjà", "smörgås", "and", "more", "=3D", ">From", "?=", "--", "ой"]


def words(count):
    return " ".join(RANDOM.choice(WORDS) + str(RANDOM.randrange(100)) for _ in range(count))


def body(charset):
    text = "\n".join(words(RANDOM.randrange(1, 30)) for _ in range(RANDOM.randrange(1, 6)))
    return text.encode(charset, "ignore").decode(charset)


def mail(number):
    """A message as Python makes it, and what it says."""
    message = EmailMessage(policy=email.policy.SMTP if number % 2 else email.policy.default)
    charset = RANDOM.choice(["utf-8", "latin-1", "koi8-r", "utf-8"])
    text = body(charset)
    message["From"] = "a@example.org"
    message["To"] = "b@example.org"
    message["Subject"] = words(RANDOM.randrange(1, 12))
    message["Message-ID"] = f"<{number}@example.org>"
    cte = RANDOM.choice(["base64", "quoted-printable", "8bit"])
    if number % 5 == 0:
        message.set_content(f"<html><body><p>{words(20)}</p></body></html>".replace(">From", "From"), subtype="html", charset="utf-8", cte=cte)
        text = message.get_content().replace("<html><body><p>", "").replace("</p></body></html>", "").replace("\n", " ").strip()
    else:
        message.set_content(text, charset=charset, cte=cte)
    if number % 3 == 0 and number % 5:
        message.add_alternative("<p>the same in <b>HTML</b></p>", subtype="html")
    if number % 4 == 0:
        message.add_attachment(RANDOM.randbytes(300), maintype="image", subtype="png", filename="a.png")
    # Some of the spaces are lost, or doubled, when Python writes a long subject.
    read = email.message_from_bytes(message.as_bytes(), policy=email.policy.default)
    return message, single_spaced(f"{read['Subject']}\n\n{text}")


def single_spaced(text):
    return re.sub(" +", " ", text)


def without_attachments(text):
    return re.sub(r"(\n\n)?\[image/png \d+ [0-9a-f]{8}\]", "", text)


class Mail(TestCase):
    def texts(self, *arguments):
        return {row["id"]: single_spaced(row["text"]) for row in map(json.loads, self.run_program("text", *arguments).out.splitlines())}

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
            message["From"], message["To"], message["Subject"], message["Date"] = "a@b.c", "d@e.f", "Scan", "Mon, 1 Jan 2024 00:00:00 +0000"
            message.add_attachment(bytes([number // 2] * 900), maintype="application", subtype="pdf", filename="scan.pdf")
            self.write(f"in/{number}.eml", message.as_bytes())
        self.assertEqual(self.dedup("in")["kept"], 2)

    def test_an_alternative_that_only_excuses_itself_is_not_what_the_mail_says(self):
        for number in range(2):
            message = EmailMessage()
            message["From"], message["To"], message["Subject"], message["Date"] = "a@b.c", "d@e.f", "News", "Mon, 1 Jan 2024 00:00:00 +0000"
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
        # Packed, under other names, and as one document.
        self.write("in/Inbox", whole)
        self.write("in/2010-March.txt.gz", gzip.compress(whole))
        self.assertEqual(self.dedup("in", "--apply", output="packed")["documents"], 160)
        self.assertEqual(gzip.decompress(self.read("packed", "clean", "in", "2010-March.txt.gz")), whole[:end])
        self.assertEqual(len(self.texts("in", "--format", "files")), 2)
        self.assertEqual(len(self.texts("all.mbox", "--id-field", "subject")), len({text.split("\n")[0] for _, text in messages}))
        self.assertEqual(len(self.run_program("text", "-", "--format", "mbox", stdin=whole).out.splitlines()), 80)
        error = self.run_program("substrings", "all.mbox", "--format", "mbox", "--apply", "-o", "cut", code=3).err
        self.assertIn("cannot cut passages out of a mailbox", error)

    def test_what_only_looks_like_mail_is_text(self):
        texts = {"in/a": "From here on it is a text.\nNote: it has colons.\n", "in/b.txt": "Subject: none\nTo: nobody\nDate: never\n\nx",
                 "in/c": "From: the sea\nSubject: waves\nno header this\n\nx"}
        for name, text in texts.items():
            self.write(name, text)
        self.assertEqual(self.texts("in"), texts)
        self.assertEqual(self.dedup("in")["mails"], 0)

    def test_manual_pages_are_compared_without_their_macros(self):
        prose = "\n".join(words(9).replace("--", "") for _ in range(30))
        self.write("in/a.1", f'.\\" a comment\n.TH A 1\n.SH NAME\na \\- does it\n.PP\n.B {prose.replace(chr(10), chr(10) + ".B ")}\n')
        self.write("in/b.1.gz", gzip.compress(f"'\\\" t\n.TH B 1 today\n.SH NAME\na \\- does it\n.LP\n{prose}\n".encode()))
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
            self.assertFalse([line for line in text.split("\n") if line.startswith((".SH", ".TH", ".PP", ".\\\""))], path)
            self.assertNotIn("\\fB", text, path)
        self.assertGreater(sum("NAME" in text for text in found.values()), 250)

    def test_arc_is_read_as_warc_is(self):
        def record(url, kind, block, more=b""):
            return b"%s 127.0.0.1 20010203040506 %s %s%d\n%s\n" % (url, kind, more, len(block), block)

        def page(number, more=b""):
            html = f"<title>{number}</title><p>{texts[number]}".encode()
            return record(b"http://a/%d" % number, b"text/html", b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html, more)

        texts = [words(80).replace("&", "") for _ in range(20)]
        head = record(b"filedesc://a.arc", b"text/plain", b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n")
        records = [head] + [page(number) for number in range(20)] + [page(number, b"200 - - 0 a.arc ") for number in range(5)]
        self.write("in/a.arc", b"".join(records))
        self.write("in/b.arc.gz", b"".join(gzip.compress(one) for one in records))
        summary = self.dedup("in", "--apply")
        self.assertEqual((summary["documents"], summary["kept"], summary["other_skipped"]), (50, 20, 2))
        self.assertEqual(self.read("out", "clean", "in", "a.arc"), b"".join(records[:21]))
        self.assertEqual(gzip.decompress(self.read("out", "clean", "in", "b.arc.gz")), head)
        self.assertEqual(self.texts("in/a.arc")["http://a/3"], "3\n" + texts[3])


if __name__ == "__main__":
    main()
