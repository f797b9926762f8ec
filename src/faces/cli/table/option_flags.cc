// The flags that are made from the tables of options.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <stdexcept>

#include "faces/cli/table/flag_rows.h"
#include "refrain/serve.h"

namespace refrain::cli {

namespace {

// The flag of an option as some verbs have it.
struct Offer {
  std::string_view option;
  VerbSet verbs;
  std::string_view default_text = {};  // empty: the option's own
  std::string_view description = {};
};

constexpr VerbSet kDedup = set_of(Verb::dedup);
constexpr VerbSet kThreaded = Verb::dedup | Verb::near | Verb::fingerprint | Verb::text | Verb::match |
                              Verb::substrings | Verb::ngrams_build | Verb::index_create | Verb::index_add |
                              Verb::index_query | Verb::index_extract | Verb::index_blots | Verb::index_check |
                              Verb::serve;
// The verbs that may write temporary files.
constexpr VerbSet kSpilling = Verb::dedup | Verb::near | Verb::substrings | Verb::ngrams_build | Verb::ngrams_show |
                              Verb::index_create | Verb::index_add | Verb::index_extract | Verb::index_check |
                              Verb::library_merge | Verb::serve;
constexpr VerbSet kLayoutVerbs = Verb::index_create | Verb::index_blots;
constexpr VerbSet kNotSubstrings = kReaders & ~set_of(Verb::substrings);

class Builder {
 public:
  // Adds single options of a table.
  template <class Options>
  void add(std::initializer_list<Offer> offers) {
    for (const Offer& offer : offers) {
      const auto option = std::ranges::find_if(
          option_table<Options>(), [&](const auto& candidate) { return candidate.info.name == offer.option; });
      if (option == option_table<Options>().end())
        throw std::logic_error(fmt::format("no table has the option '{}'", offer.option));
      add(option->info, default_text(*option), offer);
    }
  }
  // Adds all of a table.
  template <class Options>
  void add(VerbSet verbs) {
    for (const Option<Options>& option : option_table<Options>())
      if ((option.info.faces & kCommandLine) != 0) add(option.info, default_text(option), {option.info.name, verbs});
  }
  std::vector<Flag> take() { return std::move(flags_); }

 private:
  void add(const OptionInfo& info, const std::string& default_text, const Offer& offer) {
    const auto in_flags = [](std::string_view text) { return keep(spelled(text, flag_spelling)); };
    flags_.push_back({.name = keep(flag_name(info.name)),
                      .letter = info.letter,
                      .kind = info.kind,
                      .metavar = info.unit,
                      .default_text = offer.default_text.empty() ? in_flags(default_text) : offer.default_text,
                      .description = offer.description.empty() ? in_flags(info.help) : offer.description,
                      .least = info.least,
                      .most = info.most,
                      .choices = info.choices,
                      .verbs = offer.verbs,
                      .group = static_cast<Group>(info.group),
                      .required = info.required,
                      .option = &info});
  }

  // Flags hold views of texts.
  static std::string_view keep(std::string text) {
    static std::deque<std::string> texts;
    return texts.emplace_back(std::move(text));
  }

  std::vector<Flag> flags_;
};

}  // namespace

std::string flag_name(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string flag_spelling(std::string_view option) {
  return (option.size() == 1 ? "-" : "--") + flag_name(option);
}

std::string message_spelling(std::string_view option) {
  const bool known = std::ranges::find(flags(), flag_name(option), &Flag::name) != flags().end();
  return known ? flag_spelling(option) : fmt::format("`{}`", option);
}

std::string in_flags(const Error& error) {
  return error.spelled(message_spelling);
}

std::span<const Flag> option_flags() {
  static const std::vector<Flag> rows = [] {
    Builder builder;
    builder.add<InputOptions>({
        {"format", kReaders},
        {"text_field", kReaders},
        {"id_field", kReaders & ~kIndexReaders, "id, url, doc_id"},
        {"id_field", kIndexReaders, "none"},
        {"delimiter", kReaders},
        {"charset", kReaders},
        {"max_doc_bytes", kReaders},
        {"binary", kReaders},
        {"html", kDedup, "main", "what is compared of a page"},
        {"html", kNotSubstrings & ~kDedup},
        {"compare", kFingerprintVerbs | Verb::text | Verb::dedup},
        {"join_hyphens", kFingerprintVerbs | Verb::text | Verb::dedup},
        {"as_is", kNotSubstrings},
        {"strict", kReaders},
        {"skip_unreadable", kReaders},
        {"skipped", Verb::fingerprint | Verb::text | kIndexReaders},
    });
    builder.add<DedupOptions>(kDedup);
    builder.add<NearOptions>(set_of(Verb::near));
    builder.add<ExplainOptions>(set_of(Verb::explain));
    builder.add<FingerprintOptions>(set_of(Verb::fingerprint));
    builder.add<MatchOptions>(set_of(Verb::match));
    builder.add<SubstringsOptions>(set_of(Verb::substrings));
    builder.add<NgramsOptions>(set_of(Verb::ngrams_build));
    builder.add<NgramsShowOptions>(set_of(Verb::ngrams_show));
    builder.add<IndexLayout>({
        {"tokenizer", kLayoutVerbs},
        {"normalize", kLayoutVerbs},
        {"comments", kLayoutVerbs},
        {"window", kLayoutVerbs},
        {"blots", kLayoutVerbs},
        {"sampling", kLayoutVerbs},
        {"interleave", kLayoutVerbs},
        {"blot_bits", set_of(Verb::index_create)},
        {"blot_bits", set_of(Verb::index_blots), "64"},
        {"shards", set_of(Verb::index_create)},
        {"store_text", set_of(Verb::index_create)},
        {"edits", set_of(Verb::index_create)},
    });
    builder.add<IndexAddOptions>(set_of(Verb::index_add));
    builder.add<QueryOptions>(set_of(Verb::index_query));
    builder.add<ExtractOptions>(set_of(Verb::index_extract));
    builder.add<BlotsOptions>(set_of(Verb::index_blots));
    builder.add<ServeOptions>(set_of(Verb::serve));
    builder.add<DeviceOptions>(Verb::dedup | Verb::near);
    builder.add<Context>({{"memory", kWorkers}, {"threads", kThreaded}, {"temp_dir", kSpilling}});
    return builder.take();
  }();
  return rows;
}

}  // namespace refrain::cli
