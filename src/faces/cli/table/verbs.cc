#include "faces/cli/table/verbs.h"

namespace refrain::cli {

namespace {

std::vector<std::string_view> shells() {
  return {"bash", "zsh", "fish"};
}

constexpr VerbInfo kVerbs[] = {
    {.verb = Verb::dedup,
     .name = "dedup",
     .summary = "decide which documents to keep, and write a clean corpus",
     .operands = "INPUT...",
     .least_operands = 1,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Decides which documents of a corpus to keep: exact copies go, then those at least --threshold similar "
         "(Jaccard, of windows of words) to a better-ranked one that is kept. Every removal is verified against the "
         "text "
         "and names its match. Finds 98.5 % of pairs at 0.8 (the default), 99.9 % at 0.85, and measures it.",
     .details =
         "Documents are ranked by --keep, ties in input order, and each is kept unless it matches one that is kept "
         "already: so nothing is removed through a chain. The similarity of two documents is the share of their "
         "--window-word windows that both have, of all that either has. Documents with fewer words are too short to "
         "judge: they are kept, unless they are exact copies.\n"
         "Writes decisions.jsonl (a line a document, in input order: id, keep, reason, match, similarity, spans, "
         "cluster), matches.tsv (id1, id2, similarity), clusters.tsv (id, digest, cluster; -1 for none), report.html "
         "for "
         "a browser and, last, summary.json. With --apply also the folder clean: the kept records, byte for byte, "
         "under the input's "
         "names; with --annotate the folder annotated: all records, with the fields dup_cluster_id, dup_cluster_size, "
         "dup_keep, dup_match and dup_similarity added; with --attributes dolma the folder attributes: for JSONL with "
         "ids, a file of Dolma's attributes beside each file of documents. They are the same for any number of threads "
         "and any amount of memory.\n"
         "--against holds the corpus against another set, a test set for one: documents in which an item of it stands "
         "go "
         "first, whatever its line breaks, case or punctuation. It stands there where at most 1 - --against-share of "
         "its tokens need be changed, inserted or taken out, or where --against-passage of them in a row are the same. "
         "--against-action mark keeps those documents, and says so in decisions.jsonl. against.jsonl has a line an "
         "item: id, tokens, too_short, documents (in how many it stands), found (the first 20 of them: id, share, "
         "begin, end). "
         "The set is read as the corpus is, unless --against-format and --against-text-field say otherwise; its ids "
         "are "
         "ordinals, or what --against-id-field names.\n"
         "A source is a file of records, a folder of files, or what --source-field says. One with 10 documents or more "
         "that loses a larger share than --alarm is named.\n"
         "A run works in the folder work inside the output folder, which takes about as much disk as the text, and is "
         "gone at the end. After an interruption --resume goes on behind the last stage that had ended; it refuses "
         "where inputs or options are not the same.\n",
     .examples = {"refrain dedup /usr/share/common-licenses -o kept",
                  "refrain dedup /usr/share/common-licenses -o clean --threshold 0.7 --apply"}},
    {.verb = Verb::near,
     .name = "near",
     .summary = "find near-duplicate documents and the clusters they form",
     .operands = "INPUT...",
     .least_operands = 1,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Finds every pair of documents that are nearly equal, and the clusters they form. "
                    "An INPUT is a file, a folder or - (standard input); gzip and zstd are fine. "
                    "SimHash at distance 3 finds about 93 % of pairs with one word in a thousand changed, and "
                    "about 26 % at one in a hundred: GUIDE.md has the table.",
     .details =
         "Every document gets a fingerprint of 64 bits, made so that similar documents differ in few of them; two "
         "documents match where their fingerprints differ in at most --distance bits. Documents with equal "
         "fingerprints are each paired with the first of them only, unless --all-pairs is given.\n"
         "Writes matches.tsv (id1, id2, diff), clusters.tsv (id, simhash, cluster; -1 for none) and summary.json into "
         "the output folder. They appear whole or not at all, and are the same for any number of threads and any "
         "amount of memory. The summary goes to standard output.\n",
     .examples = {"refrain near /usr/share/common-licenses -o licenses --distance 6",
                  "printf 'a b c d\\nA b, c d!\\n' | refrain near - -o lines"}},
    {.verb = Verb::fingerprint,
     .name = "fingerprint",
     .summary = "print the fingerprint of every document",
     .operands = "INPUT...",
     .least_operands = 1,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Prints the 64-bit SimHash of every document, in input order, as TSV: id and simhash (decimal; empty where a "
         "document is too short to judge). An INPUT is a file, a folder or - (standard input); gzip and zstd are fine.",
     .details = "What it prints is what `refrain match` reads. A summary goes to standard error where that is a "
                "terminal, and always with --json.\n",
     .examples = {"refrain fingerprint /usr/share/common-licenses > known.tsv",
                  "echo 'school students teachers' | refrain fingerprint - --preset fpga"}},
    {.verb = Verb::match,
     .name = "match",
     .summary = "look up fingerprints among known ones",
     .operands = "STORED [QUERIES|-]",
     .least_operands = 1,
     .most_operands = 2,
     .operand_choices = nullptr,
     .description =
         "Answers, for every query, which stored document is nearest. STORED and QUERIES are files of id and simhash "
         "as "
         "`refrain fingerprint` writes them; without QUERIES they come from standard input, and each answer is written "
         "as soon as it is known. Prints TSV: id, match, diff, matches (their number).",
     .details = "The best match is the one that differs in the fewest bits, then the earliest stored. A query without "
                "a match has an empty match and diff. Queries that were made with other fingerprint flags than the "
                "stored rows are refused; a file without its first line (#) is taken as it is.\n",
     .examples = {"refrain fingerprint /usr/share/common-licenses > known.tsv",
                  "refrain fingerprint /usr/share/common-licenses | refrain match known.tsv"}},
    {.verb = Verb::explain,
     .name = "explain",
     .summary = "show why two documents match, or don't; or what a run did to one",
     .operands = "A B | ID",
     .least_operands = 1,
     .most_operands = 2,
     .operand_choices = nullptr,
     .description =
         "Compares two documents: the difference of their fingerprints, the similarity of their texts, and both texts "
         "with what they share marked. A and B are files; with --in they are the ids of documents in those inputs.\n"
         "With --run it tells the story of document ID in a run of `refrain dedup`: kept or removed, why, its cluster, "
         "and its text beside the one that it matches.",
     .details =
         "What is shared is what lies in windows of tokens that both documents hold; the tokens were compared, not "
         "only their hashes. On a terminal shared text is bold and underlined, elsewhere it stands in [[ and ]]. Long "
         "stretches are shortened. In --json a fingerprint is a string of decimal digits, and the ranges in `shared` "
         "are half-open, in bytes of the original document.\n"
         "With --run the inputs are read again, where the run found them. A text that has changed since is not "
         "shown.\n",
     .examples = {"cd /usr/share/common-licenses && refrain explain GPL-2 LGPL-2",
                  "printf 'a b c d e\\na b c d f\\n' | refrain explain 0 1 --in -"}},
    {.verb = Verb::substrings,
     .name = "substrings",
     .summary = "find every range of bytes that occurs more than once",
     .operands = "INPUT...",
     .least_operands = 0,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Finds all bytes that lie in a stretch of --length bytes which occurs --min-count times or more: the "
         "ranges that a suffix array gives, verified byte by byte. An INPUT is a file, a folder or - (standard "
         "input); gzip and zstd are fine. Nothing is removed, unless --apply asks for a clean copy.",
     .details =
         "Writes substring_bytes.tsv (id, x, y: half-open ranges of bytes, all copies listed, the first too) and "
         "summary.json into the output folder; with --groups also passages.jsonl, each passage once, at its earliest "
         "occurrence, with its text and all places that repeat a part of it; with --apply the folder clean, the "
         "documents in their own format without what is repeated (a first copy of it stays, unless --keep none says "
         "otherwise). Stretches do not cross documents.\n"
         "With --text-csv the lines of a file are the documents, and the file is read as one string whose stretches "
         "may "
         "cross lines: sa.txt has those ranges, and substring_bytes.tsv what of them lies in each line, where that is "
         "--length bytes or more.\n"
         "--snap makes ranges smaller, so that they never cut a character, a word or a line in two. Where the memory "
         "does not suffice, temporary files are written to --temp-dir: about two bytes for every byte of text, "
         "and several times that for short windows, a --min-count above 2, or --groups.\n",
     .examples = {"refrain substrings /usr/share/common-licenses -o repeats --groups",
                  "refrain substrings /usr/share/common-licenses -o clean --snap line --apply"}},
    {.verb = Verb::ngrams,
     .name = "ngrams",
     .summary = "index every run of words that occurs more than once",
     .operands = "build|show|lookup|stats|check",
     .least_operands = 0,
     .most_operands = 0,
     .operand_choices = nullptr,
     .description =
         "Finds every n-gram, a run of n tokens, that occurs m times or more, with all its places, and keeps "
         "them in an index: a folder that can be listed, looked up and checked.",
     .details = "",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index", "refrain ngrams show index --limit 10"}},
    {.verb = Verb::ngrams_build,
     .name = "ngrams build",
     .summary = "build the index",
     .operands = "INPUT...",
     .least_operands = 1,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Finds every run of n tokens that occurs m times or more and writes an index of them. An INPUT is a "
         "file, a folder or - (standard input); gzip and zstd are fine. N-grams do not cross documents.",
     .details = "Tokens are compared as the tokenizer folds them. The index is a folder: grams.bin, places.bin, "
                "documents.bin and "
                "summary.json. It appears whole or not at all, and its three .bin files are the same for any "
                "algorithm, number of "
                "threads and amount of memory.\n"
                "--algorithm auto keeps the memory and takes linear time. The others are those of the literature, to "
                "compare with: "
                "memory may take more than --memory allows, and blocked may take time that grows with the square of "
                "the input.\n",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index",
                  "printf 'to be or not to be\\n' | refrain ngrams build - -n 2 -o hamlet"}},
    {.verb = Verb::ngrams_show,
     .name = "ngrams show",
     .summary = "list its n-grams with their places",
     .operands = "INDEX",
     .least_operands = 1,
     .most_operands = 1,
     .operand_choices = nullptr,
     .description =
         "Lists the n-grams of an index as TSV: ngram, count, documents (in how many it occurs), and places as "
         "id:token,id:token, tokens counted from 0. All rows, unless limited.",
     .details =
         "count: most places first; ngram: by the bytes of the text; length: longest text first. Ties are in the "
         "order of the text. What does not fit the memory is sorted in temporary files.\n",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index -q",
                  "refrain ngrams show index --sort length --limit 3"}},
    {.verb = Verb::ngrams_lookup,
     .name = "ngrams lookup",
     .summary = "print the rows of some phrases",
     .operands = "INDEX PHRASE...",
     .least_operands = 2,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Prints the row of each PHRASE that is in the index, as `refrain ngrams show` does. A phrase is one "
         "argument of n tokens; case and punctuation count as little as they did when the index was built.",
     .details = "Phrases that are not in the index are named on standard error; the exit code is 1 where none is.\n",
     .examples = {"printf 'to be or not to be\\n' | refrain ngrams build - -n 2 -o hamlet -q",
                  "refrain ngrams lookup hamlet 'To be'"}},
    {.verb = Verb::ngrams_stats,
     .name = "ngrams stats",
     .summary = "say how much of the text repeats, and what it cost",
     .operands = "INDEX",
     .least_operands = 1,
     .most_operands = 1,
     .operand_choices = nullptr,
     .description =
         "Says which share of all n-grams is single (occurs fewer than m times), multi (the first occurrence of "
         "one that is in the index) and repeat (a further one); the sizes of the index; and how it was built.",
     .details = "",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index -q", "refrain ngrams stats index"}},
    {.verb = Verb::ngrams_check,
     .name = "ngrams check",
     .summary = "read all of it and see whether it is whole",
     .operands = "INDEX",
     .least_operands = 1,
     .most_operands = 1,
     .operand_choices = nullptr,
     .description =
         "Reads all of an index and holds it against itself: checksums, the order of keys and texts, every count "
         "and every place. Says that it is whole, or ends with exit code 4.",
     .details = "The other verbs check what they read as they read it, and need not be preceded by this.\n",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index -q", "refrain ngrams check index"}},
    {.verb = Verb::index,
     .name = "index",
     .summary = "find passages that return, also with noise in them",
     .operands = "create|add|remove|merge|query|extract|blots|stats|check",
     .least_operands = 0,
     .most_operands = 0,
     .operand_choices = nullptr,
     .description =
         "Keeps an index of documents: a folder that is added to and removed from, and asked which passages return in "
         "it, also where words were changed, lost or put in. What it reports was compared word by word.",
     .details = "",
     .examples = {"refrain index create index /usr/share/common-licenses",
                  "refrain index extract index --limit 3 --output text"}},
    {.verb = Verb::index_create,
     .name = "index create",
     .summary = "make an index of some documents",
     .operands = "INDEX INPUT...",
     .least_operands = 2,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Makes an index: a folder that does not exist yet. An INPUT is a file, a folder or - (standard "
                    "input); gzip and zstd are fine. What is chosen here holds for all that is added later. An exact "
                    "run of --window tokens is always found.",
     .details =
         "The index refers to the documents' files, and notices when one has changed; with --store-text, and for texts "
         "that cannot be read again at their place (standard input, packed files), it keeps them.\nA blot is a hash of "
         "some tokens in a row. ordered tells their order; sum and xor do not, and xor forgets a token that occurs "
         "twice. syncmer keeps about a third of them, chosen so that every run of --window tokens holds one; all keeps "
         "all. --interleave I makes I streams of every I-th token each, keeps all windows of --window tokens of a "
         "stream, and needs an exact run of I * (window - 1) + 1 tokens.\n",
     .examples = {"refrain index create index /usr/share/common-licenses",
                  "printf 'to be or not to be\\n' | refrain index create hamlet - --window 4"}},
    {.verb = Verb::index_add,
     .name = "index add",
     .summary = "add documents to it",
     .operands = "INDEX INPUT...",
     .least_operands = 2,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Adds documents, all or none of them. An INPUT is a file, a folder or - (standard input); gzip and "
                    "zstd are fine. An id that the index holds already is refused, unless --replace is given.",
     .details = "Others may read the index meanwhile: they see it as it was before, or as it is after. There is one "
                "writer at a time.\n",
     .examples = {"refrain index create index /usr/share/common-licenses/GPL-2 -q",
                  "refrain index add index /usr/share/common-licenses --replace"}},
    {.verb = Verb::index_remove,
     .name = "index remove",
     .summary = "remove documents from it",
     .operands = "INDEX [ID...]",
     .least_operands = 1,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Removes documents, which then are found no longer. Ids that the index does not hold are named on "
                    "standard error; the exit code is 1 where it holds none of them.",
     .details = "Their space is given back when segments are merged: by and by, or by `refrain index merge`.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "refrain index remove index /usr/share/common-licenses/GPL-2"}},
    {.verb = Verb::index_merge,
     .name = "index merge",
     .summary = "make one segment of all, without what was removed",
     .operands = "INDEX",
     .least_operands = 1,
     .most_operands = 1,
     .operand_choices = nullptr,
     .description = "Merges all segments of an index into one and gives back the space of removed documents. Answers "
                    "stay the same.",
     .details = "",
     .examples = {"refrain index create index /usr/share/common-licenses -q", "refrain index merge index"}},
    {.verb = Verb::index_query,
     .name = "index query",
     .summary = "find passages of given documents that it holds too",
     .operands = "INDEX [FILE...|-]",
     .least_operands = 1,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Finds the passages of the FILEs, a document each, that documents of the index hold too, best "
                    "first. Prints JSON, a passage a line; where there are more than --limit, the last line holds a "
                    "cursor. The exit code is 1 where nothing is found.",
     .details = "A passage has at least --min-tokens tokens that agree; up to --max-gap in a row may have been "
                "changed, lost or put in. Offsets are bytes of the original text. In --output text, words that agree "
                "are bold and underlined on a terminal, and stand in [[ and ]] elsewhere.\n--raw shows what was a "
                "candidate: the blots of the FILEs that documents of the index hold, nothing compared.\nDocuments "
                "whose files have changed since they were indexed are left out, and named on standard error.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "head -n 60 /usr/share/common-licenses/GPL-2 | refrain index query index -"}},
    {.verb = Verb::index_extract,
     .name = "index extract",
     .summary = "find all passages that return inside it",
     .operands = "INDEX",
     .least_operands = 1,
     .most_operands = 1,
     .operand_choices = nullptr,
     .description = "Finds every passage that two or more documents of the index hold, each once, at its earliest "
                    "place, with all places that hold it or a part of it. Prints JSON, a passage a line.",
     .details = "--raw is `refrain index blots`: candidates, nothing compared. Documents whose files have changed "
                "since they were indexed are left out, and named on standard error.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "refrain index extract index --min-tokens 50 --output text"}},
    {.verb = Verb::index_blots,
     .name = "index blots",
     .summary = "show the blots of an index, or of some files",
     .operands = "INDEX|FILE...",
     .least_operands = 1,
     .most_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Lists the blots of an INDEX with their documents, most documents first: candidates, nothing compared. Of "
         "FILEs it lists every blot with its place and its text. The flags about windows and input, and --threads, are "
         "for FILEs.",
     .details =
         "Prints JSON, a blot a line, or, with --output text, the blot in hexadecimal and the ids behind it. --unblot "
         "shows the text behind a blot, in every place that has it; the exit code is 1 where none has.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "refrain index blots index --limit 3 --output text"}},
    {.verb = Verb::index_stats,
     .name = "index stats",
     .summary = "say what it holds and where its bytes go",
     .operands = "INDEX",
     .least_operands = 1,
     .most_operands = 1,
     .operand_choices = nullptr,
     .description = "Says how the index was laid out, what it holds, and which part of it takes how many bytes.",
     .details = "",
     .examples = {"refrain index create index /usr/share/common-licenses -q", "refrain index stats index"}},
    {.verb = Verb::index_check,
     .name = "index check",
     .summary = "read all of it and see whether it is whole",
     .operands = "INDEX",
     .least_operands = 1,
     .most_operands = 1,
     .operand_choices = nullptr,
     .description =
         "Reads all of an index, and the files that it refers to. Says that it is whole, or names what is damaged and "
         "ends with exit code 4. With --repair what is damaged is made anew from the documents' texts.",
     .details = "A file that has changed since it was indexed is named, and is no damage. After --repair the exit code "
                "is 4 where documents were lost, else 0. --threads and --temp-dir are for --repair.\nThe other verbs "
                "check what they read as they read it, and "
                "need not be preceded by this.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q", "refrain index check index"}},
    {.verb = Verb::serve,
     .name = "serve",
     .summary = "answer questions about an index over HTTP",
     .operands = "INDEX",
     .least_operands = 1,
     .most_operands = 1,
     .operand_choices = nullptr,
     .description =
         "Serves an index over HTTP until it is interrupted (SIGTERM, SIGINT): queries, passages, documents, "
         "statistics. docs/openapi.json describes it. Where it listens is told on standard error.",
     .details = "On loopback everyone may read, unless --token-for-reads is given. A token is needed to write, and to "
                "listen anywhere else; requests carry it as `Authorization: Bearer TOKEN`. Web pages of other sites "
                "are refused. SECURITY.md says more.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "timeout --preserve-status 1 refrain serve index --listen 127.0.0.1:0 -q"}},
    {.verb = Verb::completion,
     .name = "completion",
     .summary = "print a completion script for a shell",
     .operands = "bash|zsh|fish",
     .least_operands = 1,
     .most_operands = 1,
     .operand_choices = shells,
     .description = "Prints a script that teaches the shell to complete the verbs, flags and values of refrain.",
     .details = "For zsh, write it to a file named _refrain in a folder of $fpath; for fish, to "
                "~/.config/fish/completions/refrain.fish.\n",
     .examples = {"refrain completion bash > refrain.bash && . ./refrain.bash",
                  "refrain completion fish > refrain.fish"}},
    {.verb = Verb::man,
     .name = "man",
     .summary = "print the man page",
     .operands = "",
     .least_operands = 0,
     .most_operands = 0,
     .operand_choices = nullptr,
     .description = "Prints the man page of refrain, as roff.",
     .details = "",
     .examples = {"refrain man > refrain.1", "refrain man | man -l -"}},
    {.verb = Verb::help,
     .name = "help",
     .summary = "print help, about one verb or all",
     .operands = "[VERB]",
     .least_operands = 0,
     .most_operands = 1,
     .operand_choices = all_verb_names,
     .description = "Prints the help of a verb, or the list of verbs.",
     .details = "",
     .examples = {"refrain help", "refrain help near"}},
};

constexpr ExitCodeInfo kExitCodes[] = {
    {0, "done"},
    {1, "failed: the system refused, or nothing was found"},
    {2, "usage: a wrong flag or value, or an output that exists"},
    {3, "bad input: missing, malformed, or not supported"},
    {4, "corrupt: a file of Refrain's own is damaged"},
    {5, "limit: the memory or the disk does not suffice"},
    {130, "interrupted"},
};

}  // namespace

std::span<const VerbInfo> verbs() {
  return kVerbs;
}

const VerbInfo& info(Verb verb) {
  return kVerbs[static_cast<unsigned>(verb)];
}

std::optional<Verb> find_verb(std::string_view name) {
  for (const VerbInfo& row : kVerbs) {
    if (row.name == name) return row.verb;
  }
  return std::nullopt;
}

std::vector<std::string_view> verb_names() {
  std::vector<std::string_view> names;
  for (const VerbInfo& row : kVerbs)
    if (row.name.find(' ') == std::string_view::npos) names.push_back(row.name);
  return names;
}

std::vector<std::string_view> all_verb_names() {
  std::vector<std::string_view> names;
  for (const VerbInfo& row : kVerbs) names.push_back(row.name);
  return names;
}

std::vector<const VerbInfo*> members(Verb verb) {
  const std::string_view family = info(verb).name;
  std::vector<const VerbInfo*> rows;
  for (const VerbInfo& row : kVerbs)
    if (row.name.size() > family.size() && row.name.starts_with(family) && row.name[family.size()] == ' ')
      rows.push_back(&row);
  return rows;
}

std::string_view last_word(const VerbInfo& verb) {
  return verb.name.substr(verb.name.find(' ') + 1);  // npos + 1 is 0
}

std::span<const ExitCodeInfo> exit_codes() {
  return kExitCodes;
}

}  // namespace refrain::cli
