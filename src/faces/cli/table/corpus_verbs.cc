// The rows of the verbs that read a corpus.
#include "faces/cli/table/verbs.h"

namespace refrain::cli {

namespace {

constexpr VerbInfo kCorpusVerbs[] = {
    {.verb = Verb::dedup,
     .name = "dedup",
     .summary = "remove duplicate documents and write a clean corpus",
     .operands = "INPUT...",
     .min_operands = 1,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Decides which documents of a corpus to keep. Removes exact duplicates, then near-duplicates: "
                    "documents at least --threshold similar to a better-ranked document that is kept. Every removal is "
                    "verified against the text and names its match. Finds "
                    "98.5% of pairs at similarity 0.8 (the default) and 99.9% at 0.85, and measures its recall.",
     .details =
         "Documents are ranked by --keep, with ties in input order. Each one is kept unless it matches a document that "
         "is already kept, so nothing is removed through a chain. The similarity of two documents is the number of "
         "--window-word windows in both, divided by the number in either. Documents shorter than one window are too "
         "short to judge: they are kept unless they are exact duplicates.\n"
         "Writes decisions.jsonl (one line per document, in input order: id, keep, reason, match, similarity, spans, "
         "cluster), matches.tsv (id1, id2, similarity), clusters.tsv (id, digest, cluster; -1 for none), report.html "
         "for "
         "a browser and, last, summary.json. --apply adds the folder clean: the kept records, byte for byte, under the "
         "input's file names. --annotate adds the folder annotated: all records, with the fields dup_cluster_id, "
         "dup_cluster_size, dup_keep, dup_reason, dup_match, dup_similarity, dup_lost and dup_longest_lost. "
         "--attributes dolma adds the folder attributes: for "
         "JSONL with ids, one Dolma attribute file per document file. The output is the same for any number of threads "
         "and any memory limit.\n"
         "--known and --library compare with what earlier runs kept, too, without reading it all again: documents of "
         "earlier runs rank before all others, and stay. Every run leaves a library of what it keeps in its folder, "
         "unless "
         "--library names one that grows or --forget is given.\n"
         "--against checks the corpus for contamination with another set, such as a test set. Documents that contain "
         "an item of the set are removed first. Line breaks, case and punctuation do not matter. A document contains "
         "an item if some stretch of it turns into the item with at most 20% of the item's tokens changed, inserted or "
         "deleted (--against-share 0.8), or if 50 consecutive tokens are the same (--against-passage). "
         "--against-action mark keeps those documents and marks them in decisions.jsonl. against.jsonl has one line "
         "per item: id, tokens, too_short, documents (how many contain it), found (the first 20 of them: id, share, "
         "begin, end). The set is read like the corpus unless --against-format or --against-text-field say otherwise; "
         "its ids are ordinals, or the field named by --against-id-field.\n"
         "A source is a file of records, a folder of files, or the value of --source-field. Sources of 10 documents or "
         "more that lose a larger share than --alarm are reported.\n"
         "A run works in the folder work inside the output folder, which takes about as much disk as the text and is "
         "removed at the end. After an interruption, --resume continues after the last finished stage; it refuses if "
         "inputs or options have changed.\n",
     .examples = {"refrain dedup /usr/share/common-licenses -o kept",
                  "refrain dedup /usr/share/common-licenses -o clean --threshold 0.7 --apply"}},
    {.verb = Verb::near,
     .name = "near",
     .summary = "find near-duplicate documents and their clusters",
     .operands = "INPUT...",
     .min_operands = 1,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Finds pairs of near-duplicate documents by SimHash, and the clusters they form: 96% of pairs with one word "
         "in "
         "a hundred changed, and 83% with two in a hundred; with --verify 98% and 94%. To remove them, use dedup.",
     .details =
         "An INPUT is a file, a folder or - (standard input), plain, compressed or in an archive. "
         "Every document gets a 64-bit fingerprint; similar documents differ in few bits. Two documents match "
         "if their fingerprints differ in at most --distance bits (8, or the preset's). Documents with equal "
         "fingerprints are each paired only with the first of them, unless --all-pairs is given.\n"
         "With --verify such pairs are only candidates (within 10 bits unless --distance or --preset say otherwise), "
         "and "
         "their texts are compared: a pair matches if at least --threshold of the windows in either text are in both. "
         "Unrelated texts with similar fingerprints are no longer matched, so more bits may differ. Texts that do not "
         "fit in a quarter of the memory go to temporary files.\n"
         "Writes matches.tsv (id1, id2, diff; with --verify similarity, too), clusters.tsv (id, simhash, cluster; -1 "
         "for none) and summary.json "
         "to the output folder. The last column of clusters.tsv is empty; its name records the options. Each file "
         "appears complete or not at all, and is the same for any number of "
         "threads and any memory limit. The summary goes to standard output.\n",
     .examples = {"refrain near /usr/share/common-licenses -o licenses --verify",
                  "printf 'a b c d\\nA b, c d!\\n' | refrain near - -o lines"}},
    {.verb = Verb::fingerprint,
     .name = "fingerprint",
     .summary = "print the fingerprint of every document",
     .operands = "INPUT...",
     .min_operands = 1,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Prints the 64-bit SimHash of every document, in input order, as TSV: id and simhash (decimal; empty "
         "if the document is too short). An INPUT is a file, a folder or - (standard input), plain, "
         "compressed or in an archive.",
     .details = "The last column is empty; its name records the options. `refrain match` reads this output and refuses "
                "fingerprints that were made with other options. A summary goes to standard error if that is a "
                "terminal, and always "
                "with --json.\n",
     .examples = {"refrain fingerprint /usr/share/common-licenses > known.tsv",
                  "echo 'school students teachers' | refrain fingerprint - --preset fpga"}},
    {.verb = Verb::text,
     .name = "text",
     .summary = "print the text of every document as JSONL",
     .operands = "INPUT...",
     .min_operands = 1,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Prints the text of every document, in input order, as JSONL: id and text. The text of a web page is what a "
         "reader sees, that of a record its text field. dedup compares only the content of a page (--html main), and "
         "substrings takes files as they are (--as-is). An INPUT is a file, a folder or - (standard input), plain, "
         "compressed or in an archive.",
     .details = "Use it to see what is compared, or to convert any input to JSONL. Bytes that are not UTF-8 become "
                "U+FFFD. A summary goes to standard error if that is a terminal, and always with --json.\n",
     .examples = {"refrain text /usr/share/common-licenses > licenses.jsonl",
                  "refrain text /usr/share/common-licenses | head -n 1"}},
    {.verb = Verb::match,
     .name = "match",
     .summary = "look up fingerprints among stored ones",
     .operands = "STORED [QUERIES|-]",
     .min_operands = 1,
     .max_operands = 2,
     .operand_choices = nullptr,
     .description =
         "Finds the nearest stored document for every query. STORED and QUERIES are files of id and simhash, "
         "as written by `refrain fingerprint`. Without QUERIES, queries come from standard input, and each "
         "answer is written at once. Prints TSV: id, match, diff, matches (how many there are).",
     .details =
         "The best match differs in the fewest bits; of equals, the first stored wins. A query without a match has an "
         "empty match and diff. Queries must be made with the same fingerprint flags as the stored rows; files that "
         "record other flags are refused.\n",
     .examples = {"refrain fingerprint /usr/share/common-licenses > known.tsv",
                  "refrain fingerprint /usr/share/common-licenses | refrain match known.tsv"}},
    {.verb = Verb::explain,
     .name = "explain",
     .summary = "show why two documents match, or what a run did with one",
     .operands = "A B | ID",
     .min_operands = 1,
     .max_operands = 2,
     .operand_choices = nullptr,
     .description = "Compares two documents: how far apart their fingerprints are, how similar their texts are, and "
                    "both texts with the shared parts marked. A and B are files, or with --in the ids of documents in "
                    "those inputs. With --run it shows what a dedup run did with document ID: kept or removed, why, "
                    "its cluster, and its text beside the match.",
     .details = "Text is shared if it lies in windows of tokens that both documents contain; the tokens are compared, "
                "not only their hashes. Shared text is bold and underlined on a terminal, and marked [[ ]] elsewhere. "
                "Long stretches are shortened. In --json a fingerprint is a string of decimal digits, and the ranges "
                "in `shared` are half-open, in bytes of the document's text.\n"
                "With --run the inputs are read again from their original paths. A text that has changed since the run "
                "is not shown.\n",
     .examples = {"cd /usr/share/common-licenses && refrain explain GPL-2 LGPL-2",
                  "printf 'a b c d e\\na b c d f\\n' | refrain explain 0 1 --in -"}},
    {.verb = Verb::substrings,
     .name = "substrings",
     .summary = "find repeated byte ranges",
     .operands = "INPUT...",
     .min_operands = 0,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Finds every byte that lies in a window of --length bytes that occurs at least --min-count times: the ranges "
         "a suffix array would give, verified byte by byte. An INPUT is a file, a folder or - (standard input), plain, "
         "compressed or in an archive. Nothing is removed; --apply writes a clean copy.",
     .details =
         "Writes substring_bytes.tsv (id, x, y: half-open byte ranges of all copies, including the first) and "
         "summary.json to the output folder. --groups adds passages.jsonl: each repeated passage once, at its "
         "earliest occurrence, with its text and all places that repeat it or a part of it. --apply adds the "
         "folder clean: the documents in their own format, without the repeated ranges. The first copy stays, "
         "unless --keep none is given. Windows do not cross documents.\n"
         "Cutting brings text together that was apart, so the clean copy may have repeats of its own. "
         "--until-clean searches what is left again, and cuts until there is nothing to cut (32 passes at most); "
         "the clean copy is written once, at the end. substring_bytes.tsv lists the ranges of the input.\n"
         "With --text-csv the lines of a file are the documents, and the file is read as one string, so windows "
         "may cross lines: sa.txt has those ranges, and substring_bytes.tsv the part of them in each line, if "
         "that is at least --length bytes.\n"
         "--snap shrinks ranges so that they never split a character, a word or a line. If memory is short, "
         "temporary files go to --temp-dir: about two bytes per byte of text, and several times that for short "
         "windows, a --min-count above 2, or --groups.\n",
     .examples = {"refrain substrings /usr/share/common-licenses -o repeats --groups",
                  "refrain substrings /usr/share/common-licenses -o clean --snap line --apply"}},
    {.verb = Verb::ngrams,
     .name = "ngrams",
     .summary = "index repeated n-grams",
     .operands = "build|show|lookup|stats|check",
     .min_operands = 0,
     .max_operands = 0,
     .operand_choices = nullptr,
     .description = "Finds every n-gram (run of n tokens) that occurs at least m times, with all its places, and "
                    "writes them to an index folder that can be listed, searched and checked.",
     .details = "",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index", "refrain ngrams show index --limit 10"}},
    {.verb = Verb::ngrams_build,
     .name = "ngrams build",
     .summary = "build an index",
     .operands = "INPUT...",
     .min_operands = 1,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Finds every run of n tokens that occurs at least m times and writes an index of them. An INPUT is a file, a "
         "folder or - (standard input), plain, compressed or in an archive. N-grams do not cross documents.",
     .details = "Tokens are compared after the tokenizer has normalized them. The index is a folder with grams.bin, "
                "places.bin, documents.bin and summary.json. It appears complete or not at all, and its three .bin "
                "files are the same for any algorithm, number of threads and memory limit.\n"
                "--algorithm auto stays within --memory and takes linear time. The others are from the literature, for "
                "comparison: memory may exceed --memory, and blocked may take quadratic time.\n",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index",
                  "printf 'to be or not to be\\n' | refrain ngrams build - -n 2 -o hamlet"}},
    {.verb = Verb::ngrams_show,
     .name = "ngrams show",
     .summary = "list the n-grams and their places",
     .operands = "INDEX",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Lists the n-grams of an index as TSV: ngram, count, documents (how many contain it), and places "
                    "as id:token,id:token, with tokens counted from 0.",
     .details = "count: most frequent first; ngram: by the bytes of the text; length: longest text first. Ties are "
                "sorted by text. Rows that do not fit in memory are sorted in temporary files.\n",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index -q",
                  "refrain ngrams show index --sort length --limit 3"}},
    {.verb = Verb::ngrams_lookup,
     .name = "ngrams lookup",
     .summary = "look up phrases",
     .operands = "INDEX PHRASE...",
     .min_operands = 2,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Prints the row of each PHRASE in the index, in the format of `refrain ngrams show`. A phrase is "
                    "one argument of n tokens, normalized like the indexed text.",
     .details =
         "Phrases that are not in the index are listed on standard error. Exits with code 1 if it has none of them.\n",
     .examples = {"printf 'to be or not to be\\n' | refrain ngrams build - -n 2 -o hamlet -q",
                  "refrain ngrams lookup hamlet 'To be'"}},
    {.verb = Verb::ngrams_stats,
     .name = "ngrams stats",
     .summary = "show how much text repeats, and what the index cost",
     .operands = "INDEX",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Prints the shares of all n-grams that are single (occur fewer than m times), multi (first "
                    "occurrence of an indexed n-gram) and repeat (a further occurrence); the sizes of the index files; "
                    "and how the index was built.",
     .details = "",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index -q", "refrain ngrams stats index"}},
    {.verb = Verb::ngrams_check,
     .name = "ngrams check",
     .summary = "verify an index",
     .operands = "INDEX",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Verifies an index: checksums, the order of keys and texts, every count and every place. Prints "
                    "OK, or exits with code 4.",
     .details = "The other verbs check what they read as they read it; running this first is not necessary.\n",
     .examples = {"refrain ngrams build /usr/share/common-licenses -o index -q", "refrain ngrams check index"}},
};

}  // namespace

std::span<const VerbInfo> corpus_verbs() {
  return kCorpusVerbs;
}

}  // namespace refrain::cli
