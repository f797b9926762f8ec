// The text of 64 MB of web pages, with navigation, scripts and entities, compared with a plain loop that drops
// everything in angle brackets. The words of both, and the known content, are compared before anything is timed.
//
//   build/release/bench/html_bench        BENCH_SCALE=0.1: a tenth of the pages
//
//   text          everything that a page shows
//   main          only its content
//   text_plain    drops tags and scripts, and replaces five entities
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/html/text.h"
#include "refrain/context.h"
#include "twin/machine_text.h"

namespace {

struct Page {
  std::string html;
  std::string content;  // the text without markup
};

std::string marked_up(std::string_view text) {
  std::string html = "<p>";
  std::size_t words = 0;
  for (const char c : text) {
    if (c == '&')
      html += "&amp;";
    else if (c == '<')
      html += "&lt;";
    else
      html += c;
    if (c == ' ' && ++words % 12 == 0) html += words % 96 == 0 ? "</p>\n<p class=\"body\">" : "<a href=\"/x/y.html\">";
    if (c == ' ' && words % 12 == 3 && words > 12) html += "</a>";
  }
  return html + "</p>";
}

const std::vector<Page>& pages() {
  static const std::vector<Page> all = [] {
    const char* scale = std::getenv("BENCH_SCALE");
    const auto wanted = static_cast<std::size_t>(64e6 * (scale != nullptr ? std::atof(scale) : 1));
    std::string menu;
    for (int i = 0; i < 60; ++i)
      menu += "<li class=\"item\"><a href=\"/part/" + std::to_string(i) + ".html\" title='Part'>Part " +
              std::to_string(i) + "</a></li>\n";
    const std::string before =
        "<!doctype html><html><head><meta charset=\"utf-8\"><style>p { margin: 0 }</style><script>if (1 < 2) "
        "f();</script>"
        "</head><body><div class=\"navbar\"><ul>" +
        menu + "</ul></div><div id=\"content\">";
    const std::string behind = "</div><footer>&copy; somebody</footer></body></html>";
    std::string text = bench::machine_text(wanted / 2 + 8192);
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E; }, ' ');
    std::vector<Page> made;
    std::size_t bytes = 0;
    for (const std::string_view content : bench::cut(text, 6000)) {
      if (bytes >= wanted) break;
      made.push_back({before + marked_up(content) + behind, std::string(content)});
      bytes += made.back().html.size();
    }
    return made;
  }();
  return all;
}

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

void strip_plain(std::string_view html, std::string& text) {
  text.clear();
  for (std::size_t at = 0; at < html.size();) {
    const std::string_view rest = html.substr(at);
    if (html[at] == '<') {
      if (rest.starts_with("<script"))
        at = html.find("</script>", at);
      else if (rest.starts_with("<style"))
        at = html.find("</style>", at);
      const std::size_t end = std::min(html.find('>', at), html.size() - 1);
      const bool in_line = rest.starts_with("<a ") || rest.starts_with("</a>");
      if (!in_line) text += ' ';
      at = end + 1;
    } else if (html[at] == '&') {
      static constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
          {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&copy;", "\xC2\xA9"}};
      const auto* found = std::find_if(std::begin(kEntities), std::end(kEntities),
                                       [&](const auto& one) { return rest.starts_with(one.first); });
      if (found == std::end(kEntities)) {
        text += html[at++];
      } else {
        text += found->second;
        at += found->first.size();
      }
    } else {
      text += html[at++];
    }
  }
}

class Reader {
 public:
  std::string_view read(std::string_view html, bool main) {
    if (main)
      html_.read_main(html, grow_, text_);
    else
      html_.read(html, grow_, text_);
    return {text_.data(), text_.size()};
  }

 private:
  refrain::Context context_;
  refrain::MemoryBudget budget_{context_};
  refrain::html::HtmlText html_{budget_};
  refrain::Array<char> text_{budget_, "text"};
  const std::function<void(std::size_t)> grow_ = [](std::size_t) {};
};

// Exits if an answer differs from the twin's.
void check() {
  Reader reader;
  std::string plain;
  for (std::size_t i = 0; i < std::min<std::size_t>(pages().size(), 500); ++i) {
    const Page& page = pages()[i];
    strip_plain(page.html, plain);
    if (words(reader.read(page.html, false)) != words(plain) ||
        words(reader.read(page.html, true)) != words(page.content)) {
      fprintf(stderr, "html_bench: page %zu: not the words of the twin\n", i);
      std::exit(1);
    }
  }
}

void report(benchmark::State& state) {
  std::size_t bytes = 0;
  for (const Page& page : pages()) bytes += page.html.size();
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * static_cast<std::int64_t>(state.iterations()));
}

void run(benchmark::State& state, bool main) {
  Reader reader;
  for ([[maybe_unused]] auto iteration : state)
    for (const Page& page : pages()) benchmark::DoNotOptimize(reader.read(page.html, main).size());
  report(state);
}

void text(benchmark::State& state) {
  run(state, false);
}
void main_part(benchmark::State& state) {
  run(state, true);
}
void text_plain(benchmark::State& state) {
  std::string plain;
  for ([[maybe_unused]] auto iteration : state)
    for (const Page& page : pages()) {
      strip_plain(page.html, plain);
      benchmark::DoNotOptimize(plain.size());
    }
  report(state);
}

BENCHMARK(text)->Name("text");
BENCHMARK(main_part)->Name("main");
BENCHMARK(text_plain)->Name("text_plain");

}  // namespace

int main(int count, char** arguments) {
  check();
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
