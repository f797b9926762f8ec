"""report.html in a real browser: what it shows, and that it contains nothing active.

    report_test.py --screenshot FILE.png     makes the picture of the README instead
"""

import glob
import http.server
import json
import os
import random
import re
import shutil
import sys
import tempfile
import threading

from program import SOURCE_DIR, TestCase, main, run

sys.path[:0] = glob.glob(os.path.join(SOURCE_DIR, "build", "browser", "lib", "python3*", "site-packages"))
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
HOSTILE = ("\x00\x07\x1b[2J \u202e &lt; {{kept}} <img src=x onerror='window.owned = 1'>"
           "</script><script>window.owned = 2</script><a href='javascript:window.owned = 3'>x</a>"
           "<style>body{display:none}</style></title></svg><!-- ")


def words(seed, count):
    pick = random.Random(seed)
    return " ".join(f"w{pick.randrange(100000)}" for _ in range(count))


class Browser:
    """A browser; every page that it opens has its own window."""

    def __init__(self):
        if sync_playwright is None:
            raise FileNotFoundError("playwright is not there; run 'tools/setup test'")
        path = next(filter(None, map(shutil.which, BROWSERS)), None)
        if path is None:
            raise FileNotFoundError("no Chromium is there; run 'tools/setup test'")
        self.driver = sync_playwright().start()
        self.browser = self.driver.chromium.launch(executable_path=path)

    def open(self, path, **options):
        """Opens a page; its `requests` to the network and its `complaints` are recorded."""
        page = self.browser.new_page(**options)
        page.requests, page.complaints = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (page.complaints.append(dialog.message), dialog.dismiss()))
        page.goto("file://" + path)
        return page

    def close(self):
        self.browser.close()
        self.driver.stop()


class Report(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, **options):
        page = self.browser.open(self.path("out", "report.html"), **options)
        self.addCleanup(page.close)
        return page

    def dedup(self, documents, *flags):
        """Runs dedup; documents are (id, source, text)."""
        rows = [json.dumps({"id": name, "source": source, "text": text}) for name, source, text in documents]
        self.write("in.jsonl", "\n".join(rows) + "\n")
        self.run_program("dedup", "in.jsonl", "-o", "out", "--id-field", "id", "--source-field", "source", "-q", *flags)

    def a_corpus(self):
        """Returns clusters of 2, 2 and 5, where one of five is an exact copy and the others differ in a few words;
        and 40 unique documents."""
        documents = [(f"alone{i}", "library", words(1000 + i, 90)) for i in range(40)]
        for cluster, size in enumerate((2, 2, 5)):
            text = words(cluster, 200).split()
            for member in range(size):
                changed = list(text)
                if member > 1:
                    changed[50] = f"changed{member}"
                if member == 1 and size == 2:
                    changed[70] = "altered"
                documents.append((f"c{cluster}m{member}", "mirror", " ".join(changed)))
        return documents

    def table(self, page, name):
        """Returns the rows of the table behind a plot, as lists of texts, and the values of its bars."""
        rows = page.eval_on_selector_all(
            f"#{name} tbody tr", "rows => rows.map(row => Array.from(row.cells, cell => cell.textContent))")
        bars = page.eval_on_selector_all(f"#{name} rect[data-value]", "all => all.map(one => +one.dataset.value)")
        return rows, bars

    def test_it_loads_alone_and_in_silence(self):
        self.dedup(self.a_corpus())
        page = self.open()
        self.assertEqual(page.requests, ["file://" + self.path("out", "report.html")])
        self.assertEqual(page.complaints, [])
        # The same from a server, where a page could request more files.
        asked = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(handler, *arguments):
                super().__init__(*arguments, directory=self.path("out"))

            def log_message(handler, *_):
                asked.append(handler.path)

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            page.goto(f"http://127.0.0.1:{server.server_port}/report.html", wait_until="networkidle")
            server.shutdown()
        self.assertEqual(asked, ["/report.html"])
        self.assertEqual(page.complaints, [])

    def test_numbers_are_those_of_the_run(self):
        self.dedup(self.a_corpus())
        summary = json.loads(self.read("out", "summary.json"))
        decisions = [json.loads(line) for line in self.read("out", "decisions.jsonl").splitlines()]
        page = self.open()
        kept = [decision for decision in decisions if decision["keep"]]
        self.assertEqual(page.inner_text("#kept"), str(len(kept)))
        self.assertEqual(page.inner_text("#removed"), str(len(decisions) - len(kept)))
        self.assertEqual((len(kept), summary["kept"]), (43, 43))
        reasons = page.eval_on_selector_all(
            "#reasons tbody tr", "rows => rows.map(row => [row.cells[1].textContent, row.cells[2].textContent])")
        self.assertEqual(reasons, [["exact", "1"], ["near", "5"]])
        self.assertEqual(page.inner_text("#recall"), "100.0%")
        self.assertEqual(page.inner_text("#recheck"), "0")

        rows, bars = self.table(page, "cluster-sizes")
        self.assertEqual(rows, [["2", "2"], ["3–4", "0"], ["5–8", "1"]])
        self.assertEqual(bars, [2, 1])
        rows, bars = self.table(page, "sources")
        self.assertEqual(rows, [["mirror", "3", "6"], ["library", "40", "0"]])
        self.assertEqual(bars, [3, 6, 40])
        matches = [line.split("\t") for line in self.read("out", "matches.tsv").decode().splitlines()[1:]]
        rows, bars = self.table(page, "similarities")
        counted = {}
        for similarity in (float(row[2]) for row in matches):
            label = f"{int(similarity * 100 + 1e-9) / 100:.2f}"
            counted[label] = counted.get(label, 0) + 1
        counted.pop("1.00")  # the exact copy
        self.assertEqual({label: int(count) for label, count in rows if count != "0"}, counted)
        self.assertEqual(sum(bars), len(matches) - 1)
        rows, bars = self.table(page, "lengths")
        self.assertEqual([sum(int(row[column]) for row in rows) for column in (1, 2)], [43, 6])
        self.assertEqual(sum(bars), 49)
        stages = page.eval_on_selector_all("#stages tbody th", "all => all.map(one => one.textContent)")
        self.assertEqual(stages, ["read", "exact", "templates", "near", "verify", "cluster", "decide", "check", "write",
                                  "library"])

    def test_skipped_files_are_told_by_kind(self):
        self.write("in/a.txt", words(1, 90))
        self.write("in/.hidden", "x")
        for i in range(5):
            self.write(f"in/{i}<b>{HOSTILE.replace('/', '')[3:40]}.png", b"\x89PNG\r\n\x1a\n\0")
        self.write("in/labels.csv", "id,<i>label</i>\n1,good\n")
        self.run_program("dedup", "in", "-o", "out", "-q", "--apply")
        page = self.open()
        rows = page.eval_on_selector_all("#skipped-kinds tbody tr",
                                         "rows => rows.map(row => Array.from(row.cells, cell => cell.textContent))")
        self.assertEqual([row[:2] for row in rows], [["image", "5"], ["hidden file", "1"], ["unusable file", "1"]])
        self.assertIn("not text", rows[0][2])
        self.assertIn("and 2 more", rows[0][2])
        self.assertIn("in/labels.csv no column 'text'; the header has 'id', '<i>label</i>'", rows[2][2])
        self.assertIn("not copied to clean/: 7 files.", page.inner_text("section[aria-labelledby=skipped] p"))
        page.click("text=7 files skipped")
        self.assertEqual((page.complaints, page.evaluate("window.owned")), ([], None))
        self.dedup(self.a_corpus(), "--force")
        self.assertEqual(self.open().query_selector("#skipped"), None)

    def test_every_plot_has_words_for_those_who_do_not_see_it(self):
        self.dedup(self.a_corpus())
        page = self.open()
        described = page.eval_on_selector_all("figure > svg[role=img]", """all => all.map(svg =>
            svg.getAttribute("aria-labelledby").split(" ").map(
                id => document.getElementById(id).textContent.length > 10))""")
        self.assertEqual(described, [[True, True]] * 5)
        self.assertEqual(page.locator("figure table").count(), 5)
        # The two kinds of bars also differ in more than their color.
        self.assertIn("url", page.eval_on_selector("#lengths rect.s1", "one => getComputedStyle(one).fill"))

    def test_the_difference_can_be_seen_without_colour(self):
        self.dedup(self.a_corpus())
        page = self.open()
        cluster = page.locator("details[id^=cluster-]").first
        cluster.locator("summary").click()
        removed = cluster.locator(".pair").first.locator(".removed .text")
        self.assertIn("changed", removed.locator("del").first.inner_text())
        weight, before = removed.locator("del").first.evaluate(
            "one => [getComputedStyle(one).fontWeight, getComputedStyle(one, '::before').content]")
        self.assertEqual((weight, before), ("700", '"⟦"'))
        for theme in ("light", "dark"):
            page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
            self.assertIn("line-through",
                          removed.locator("del").first.evaluate("one => getComputedStyle(one).textDecorationLine"))
        self.assertIn("underline",
                      removed.locator("mark").first.evaluate("one => getComputedStyle(one).textDecorationLine"))
        kept = cluster.locator(".pair").first.locator(".kept .text")
        self.assertEqual(kept.locator("ins").count(), 1)
        # Shared text is the same on both sides.
        self.assertEqual(removed.locator("mark").first.inner_text(), kept.locator("mark").first.inner_text())

    def test_the_keyboard_does(self):
        self.dedup(self.a_corpus())
        page = self.open()
        page.keyboard.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.className"), "skip")
        self.assertTrue(page.evaluate("document.activeElement.getBoundingClientRect().left >= 0"),
                        "seen where it is focused")
        page.keyboard.press("Enter")
        self.assertEqual(page.evaluate("document.activeElement.id"), "main")
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.parentElement.className") == "cluster":
                break
        self.assertEqual(page.evaluate("document.activeElement.tagName"), "SUMMARY")
        self.assertNotEqual(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "none")
        pair = page.locator(".cluster .pair").first
        self.assertFalse(pair.is_visible())
        page.keyboard.press("Enter")
        self.assertTrue(pair.is_visible())

    def test_light_and_dark(self):
        def colours(page):
            return page.evaluate("[getComputedStyle(document.documentElement).backgroundColor, "
                                 "getComputedStyle(document.body).color].map(c => c.match(/\\d+/g).map(Number)[0])")

        self.dedup(self.a_corpus())
        light, dark = self.open(color_scheme="light"), self.open(color_scheme="dark")
        paper, ink = colours(light)
        self.assertGreater(paper, ink + 150)
        paper, ink = colours(dark)
        self.assertGreater(ink, paper + 150)
        for page in (light, dark):
            before = colours(page)
            page.click("#theme")
            self.assertNotEqual(colours(page), before)
            page.click("#theme")
            self.assertEqual(colours(page), before)

    def test_nothing_is_wider_than_the_window(self):
        documents = [(f"{'long' * 60}{i}", "wide" * 50, "unbroken" * 200 + f" {i} " + words(i // 2, 90))
                     for i in range(40)]
        self.dedup(documents)
        for width in (360, 800, 1400):
            page = self.open(viewport={"width": width, "height": 800})
            page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def test_on_paper_all_clusters_are_open(self):
        self.dedup(self.a_corpus())
        page = self.open()
        page.emulate_media(media="print", color_scheme="dark")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        self.assertTrue(page.locator(".cluster .pair").first.is_visible())
        self.assertFalse(page.locator("#theme").is_visible())
        self.assertEqual(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"),
                         "rgb(255, 255, 255)")

    def test_hostile_text_is_inert(self):
        text = HOSTILE + " " + words(1, 80)
        self.write("in.jsonl", "".join(
            json.dumps({"id": name, "source": HOSTILE, "text": text + more}) + "\n"
            for name, more in ((HOSTILE, ""), (HOSTILE + "2", ""), ("3", " " + HOSTILE))))
        self.run_program("dedup", "in.jsonl", "-o", "out", "--id-field", "id", "--source-field", "source", "-q")
        page = self.open()
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        self.assertIsNone(page.evaluate("window.owned || null"))
        self.assertEqual(page.complaints, [])
        self.assertEqual(len(page.requests), 1)
        self.assertEqual(page.locator("script").count(), 1)
        self.assertEqual(page.locator("style").count(), 1)
        self.assertEqual(page.locator("img").count() + page.locator("main a").count(), 0)
        self.assertTrue(page.locator(".cluster .text").first.is_visible())
        self.assertIn("<img src=x onerror='window.owned = 1'>", page.locator(".cluster .text").first.inner_text())
        self.assertIn("\\x1b[2J \\u202e &lt; {{kept}}", page.locator(".cluster .text").first.inner_text())

    def test_bytes_that_are_no_text_are_spelled_out(self):
        text = words(1, 80).encode()
        self.write("folder/a.txt", b"\xff\xfe\xc3 " + text)
        self.write("folder/b.txt", b"\xff\xfe\xc3 " + text + b" \xed\xa0\x80 more")
        self.run_program("dedup", "folder", "-o", "out", "-q", "--as-is")
        self.read("out", "report.html").decode()  # the page itself is UTF-8
        page = self.open()
        self.assertTrue(page.locator(".cluster .text").first.text_content().startswith("\\xff\\xfe\\xc3 w"))

    def with_passages(self):
        """Makes a report with a footer in 30 documents; another document contains an item of a quiz, whose other item
        occurs nowhere."""
        footer = "<footer> " + words(1, 60) + " 😀"
        item = "who " + words(2, 20) + "?"
        documents = [(f"page{i}", "site",
                      words(100 + i, 90) + chr(0x4E00 + i) + footer + chr(0x4E00 + i) + words(300 + i, 20))
                     for i in range(30)]
        documents.append(("leak", "site", words(5, 90) + " " + item.upper() + " " + words(6, 90)))
        self.write("quiz.jsonl", "".join(json.dumps({"id": name, "text": text}) + "\n"
                                         for name, text in (("q1", item), ("q2", words(3, 20)))))
        self.dedup(documents, "--substrings", "80", "--against", "quiz.jsonl", "--against-id-field", "id")
        return footer, item

    def test_items_of_the_other_set_are_told_with_their_places(self):
        _, item = self.with_passages()
        page = self.open()
        self.assertIn("1 of 2 items in the --against set occur in 1 document",
                      page.inner_text("section[aria-labelledby=against]"))
        cells = page.eval_on_selector_all("#items tbody tr",
                                          "rows => rows.map(row => Array.from(row.cells, c => c.innerText))")
        self.assertEqual(len(cells), 1)
        self.assertEqual(cells[0][:2], ["q1", "1"])
        self.assertIn("leak", cells[0][2])
        mark = page.locator("#items mark")
        self.assertEqual(mark.inner_text(), item.upper().rstrip("?"))
        self.assertIn("underline", mark.evaluate("one => getComputedStyle(one).textDecorationLine"))
        self.assertEqual(page.complaints, [])

    def test_the_most_repeated_passages_open_by_keyboard(self):
        footer, _ = self.with_passages()
        page = self.open()
        passages = page.locator(".passage")
        self.assertEqual(passages.count(), 1)
        self.assertIn("cut 29 times", passages.first.locator("summary").inner_text())
        text = passages.first.locator(".text")
        self.assertFalse(text.is_visible())
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.parentElement.className") == "passage":
                break
        self.assertEqual(page.evaluate("document.activeElement.tagName"), "SUMMARY")
        self.assertNotEqual(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"), "none")
        page.keyboard.press("Enter")
        self.assertTrue(text.is_visible())
        self.assertIn(footer, text.inner_text())
        for width in (360, 1400):
            page.set_viewport_size({"width": width, "height": 800})
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def test_hostile_passages_and_items_are_inert(self):
        passage = HOSTILE + " " + words(1, 60) + " " + HOSTILE
        documents = [(f"{HOSTILE}{i}", "s", words(100 + i, 90) + " " + passage + " " + words(300 + i, 90))
                     for i in range(5)]
        self.write("quiz.jsonl", json.dumps({"id": HOSTILE, "text": passage}) + "\n")
        self.dedup(documents, "--substrings", "80", "--against", "quiz.jsonl", "--against-id-field", "id",
                   "--against-action", "mark")
        page = self.open()
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        self.assertEqual(page.locator(".passage .text").count(), 1)
        self.assertEqual(page.locator("#items .text").count(), 1)
        self.assertIsNone(page.evaluate("window.owned || null"))
        self.assertEqual(page.complaints, [])
        self.assertEqual(page.locator("script, style, img, main a").count(), 2)

    def test_a_source_that_lost_much_stands_out(self):
        documents = [(str(i), "copies", words(i // 10, 60) + f" {i}") for i in range(40)]
        documents += [(f"x{i}", "library", words(100 + i, 60)) for i in range(20)]
        self.dedup(documents)
        page = self.open()
        self.assertIn("1 source lost more than 50%", page.inner_text("#alarm"))
        self.assertEqual(page.eval_on_selector_all("#alarm tbody td", "all => all.map(one => one.textContent)"),
                         ["copies", "36", "40", "90.0%"])

    def test_a_run_that_finds_nothing_says_so(self):
        self.dedup([("a", "s", words(1, 50)), ("b", "s", words(2, 50))])
        page = self.open()
        self.assertEqual(page.inner_text("h1"), "2 of 2 documents kept")
        self.assertIn("No two documents match", page.inner_text("main"))
        self.assertEqual(page.locator(".cluster, #alarm").count(), 0)
        self.assertEqual(page.complaints, [])

    def test_two_runs_differ_in_the_marked_part_alone(self):
        self.dedup(self.a_corpus())
        self.run_program("dedup", "in.jsonl", "-o", "again", "--id-field", "id", "--source-field", "source", "-q",
                         "--threads", "1", "--memory", "64M")
        lasting = re.compile(rb"from here -->.*?<!-- to here -->", re.DOTALL)
        first, second = (lasting.subn(b"", self.read(name, "report.html")) for name in ("out", "again"))
        self.assertEqual(first, second)
        self.assertEqual(first[1], 1)


def screenshot(path):
    """Takes the screenshot of pages that were fetched twice, press releases with small edits, and a ubiquitous cookie
    notice."""
    pick = random.Random(8)
    nouns = "river harbour council bridge market school museum garden winter library orchestra railway".split()
    verbs = "opened closed announced repaired welcomed planned measured painted".split()

    def sentence():
        return (f"The {pick.choice(nouns)} {pick.choice(verbs)} the {pick.choice(nouns)}"
                f" in {pick.randrange(1980, 2026)}.")

    folder = tempfile.mkdtemp(prefix="refrain-screenshot-")
    try:
        for source in ("news", "archive", "forum", "mirror"):
            rows = []
            for i in range(160):
                body = " ".join(sentence() for _ in range(pick.randrange(6, 60)))
                for copy in range(1 if pick.random() < 0.75 else pick.randrange(2, 9)):
                    text = body
                    if copy > 1:
                        text = text.replace(pick.choice(nouns), "town hall", 1)
                    rows.append({"id": f"{source}/{i}-{copy}", "text": text})
            with open(os.path.join(folder, f"{source}.jsonl"), "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
        names = [f"{source}.jsonl" for source in ("archive", "forum", "mirror", "news")]
        done = run("dedup", *names, "--id-field", "id", "-o", "out", "-q", cwd=folder)
        if done.code != 0:
            sys.exit(done.err)
        browser = Browser()
        page = browser.open(os.path.join(folder, "out", "report.html"), viewport={"width": 1100, "height": 1580})
        page.screenshot(path=path)
        browser.close()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--screenshot"]:
        screenshot(sys.argv[2])
    else:
        main()
