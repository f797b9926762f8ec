// The rows of the verbs for indexes and libraries on disk, and of those about the program itself.
#include "faces/cli/table/verbs.h"

namespace refrain::cli {

namespace {

std::vector<std::string_view> shells() {
  return {"bash", "zsh", "fish"};
}

constexpr VerbInfo kStoreVerbs[] = {
    {.verb = Verb::index,
     .name = "index",
     .summary = "find passages that recur, exact or edited",
     .operands = "create|add|remove|merge|query|extract|blots|stats|check",
     .min_operands = 0,
     .max_operands = 0,
     .operand_choices = nullptr,
     .description = "Keeps an index of documents on disk, which can be added to and removed from, and finds the "
                    "passages that recur in it, even if words were changed, lost or inserted. Every reported passage "
                    "has been compared word by word.",
     .details = "",
     .examples = {"refrain index create index /usr/share/common-licenses",
                  "refrain index extract index --limit 3 --output text"}},
    {.verb = Verb::index_create,
     .name = "index create",
     .summary = "create an index of documents",
     .operands = "INDEX INPUT...",
     .min_operands = 2,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Creates an index in a new folder. An INPUT is a file, a folder or - (standard input), plain, "
                    "compressed or in an archive. The options chosen here also apply to everything added later. Exact "
                    "runs of --window tokens are always found.",
     .details =
         "The index refers to the documents' files and detects when one has changed. It keeps copies of texts with "
         "--store-text, and of texts that cannot be read again in place (standard input, compressed files).\n"
         "A blot is a hash of consecutive tokens. ordered blots depend on token order; sum and xor blots do not, and "
         "in xor a token that occurs twice cancels out. syncmer keeps about a third of the windows, chosen so that "
         "every run of --window tokens contains one; all keeps all of them. --interleave I splits the tokens into I "
         "streams of every I-th token, keeps all windows of --window tokens in each stream, and needs an exact run of "
         "I * (window - 1) + 1 tokens.\n",
     .examples = {"refrain index create index /usr/share/common-licenses",
                  "printf 'to be or not to be\\n' | refrain index create hamlet - --window 4"}},
    {.verb = Verb::index_add,
     .name = "index add",
     .summary = "add documents",
     .operands = "INDEX INPUT...",
     .min_operands = 2,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Adds documents, all of them or none. An INPUT is a file, a folder or - (standard input), plain, compressed "
         "or in an archive. An id that is already in the index is refused unless --replace is given.",
     .details = "Others may read the index at the same time: they see it as it was before, or as it is after. Only one "
                "process can write at a time.\n",
     .examples = {"refrain index create index /usr/share/common-licenses/GPL-2 -q",
                  "refrain index add index /usr/share/common-licenses --replace"}},
    {.verb = Verb::index_remove,
     .name = "index remove",
     .summary = "remove documents",
     .operands = "INDEX [ID...]",
     .min_operands = 1,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Removes documents from the index. Ids that are not in the index are listed on standard error. "
                    "Exits with code 1 if it has none of them.",
     .details = "Their space is reclaimed when segments are merged: gradually, or by `refrain index merge`.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "refrain index remove index /usr/share/common-licenses/GPL-2"}},
    {.verb = Verb::index_merge,
     .name = "index merge",
     .summary = "merge all segments and reclaim space",
     .operands = "INDEX",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description =
         "Merges all segments of an index into one and reclaims the space of removed documents. Answers stay the same.",
     .details = "",
     .examples = {"refrain index create index /usr/share/common-licenses -q", "refrain index merge index"}},
    {.verb = Verb::index_query,
     .name = "index query",
     .summary = "find passages that documents share with the index",
     .operands = "INDEX [INPUT...]",
     .min_operands = 1,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description =
         "Finds the passages that each document of the INPUTs shares with the index, best first. Prints JSON, one "
         "passage per line. An INPUT is a file, a folder or - (one document from standard input, unless --format says "
         "otherwise). Exits with code 1 if nothing is found.",
     .details =
         "With --edits light, a window of the index must be left in or near a passage; with heavy, pairs of rare words "
         "are enough. Words that were moved count as matching with heavy, and where the index was created with --blots "
         "xor or sum. A passage has at least --min-tokens matching tokens, 15 where they are scattered or moved; up to "
         "--max-gap consecutive tokens may have been changed, lost or inserted. If there are more than --limit "
         "passages for a single document, the last line is a cursor. Offsets are bytes of the document's text. With "
         "--output text, matching words are bold and underlined on a terminal, and marked [[ ]] elsewhere; moved ones "
         "are yellow, or marked {{ }}.\n"
         "--self compares each document with those added after it, never with itself. --pairs takes matches.tsv, too.\n"
         "--raw lists the candidates: the blots of the INPUTs that occur in the index, without comparing any text.\n"
         "Documents whose files have changed since they were indexed are skipped, and listed on standard error.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "head -n 60 /usr/share/common-licenses/GPL-2 | refrain index query index -"}},
    {.verb = Verb::index_extract,
     .name = "index extract",
     .summary = "find all passages that recur in the index",
     .operands = "INDEX",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Finds every passage that two or more documents of the index share, each once, at its earliest "
                    "place, with all places that contain it or a part of it. Prints JSON, one passage per line.",
     .details = "With --edits light, passages have their words in the same order; with heavy, as `refrain index query` "
                "finds them: paraphrases and moved words, in more time.\n"
                "--raw is `refrain index blots`: candidates, without comparing any text. Documents whose files have "
                "changed since they were indexed are skipped, and listed on standard error.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "refrain index extract index --min-tokens 50 --output text"}},
    {.verb = Verb::index_blots,
     .name = "index blots",
     .summary = "list the blots of an index or of files",
     .operands = "INDEX|FILE...",
     .min_operands = 1,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Lists the blots of an INDEX with their documents, most documents first. These are candidates; no "
                    "text is compared. For FILEs, lists every blot with its place and text. The flags for windows, "
                    "input and --threads apply only to FILEs.",
     .details = "Prints JSON, one blot per line, or with --output text the blot in hexadecimal and the ids of its "
                "documents. --unblot shows the text behind a blot, in every place where it occurs, and exits with code "
                "1 if there is none.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "refrain index blots index --limit 3 --output text"}},
    {.verb = Verb::index_stats,
     .name = "index stats",
     .summary = "show what the index contains, and its size",
     .operands = "INDEX",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Prints the options of the index, what it contains, and the size of each part.",
     .details = "",
     .examples = {"refrain index create index /usr/share/common-licenses -q", "refrain index stats index"}},
    {.verb = Verb::index_check,
     .name = "index check",
     .summary = "verify an index, and repair it",
     .operands = "INDEX",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Verifies an index and the files it refers to. Prints OK, or lists what is damaged and exits with "
                    "code 4. --repair rebuilds damaged parts from the documents' texts.",
     .details = "A file that has changed since it was indexed is listed, but is not damage. After --repair the exit "
                "code is 4 if documents were lost, else 0. --threads and --temp-dir apply only to --repair.\n"
                "The other verbs check what they read as they read it; running this first is not necessary.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q", "refrain index check index"}},
    {.verb = Verb::library,
     .name = "library",
     .summary = "look after a library of kept documents",
     .operands = "stats|check|merge|remove|export",
     .min_operands = 0,
     .max_operands = 0,
     .operand_choices = nullptr,
     .description =
         "Looks after a library: what is known of the documents that earlier runs of dedup kept, so that new "
         "ones can be compared with them. It refers to their texts; only those sent to `serve --add` are kept in it.",
     .details = "",
     .examples = {"refrain help library", "refrain library remove --help"}},
    {.verb = Verb::library_stats,
     .name = "library stats",
     .summary = "show what the library contains, and its size",
     .operands = "LIBRARY",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Prints what a library contains, the options it was made with, and the size of each part.",
     .details = "",
     .examples = {"refrain help library", "refrain library stats --help"}},
    {.verb = Verb::library_check,
     .name = "library check",
     .summary = "verify a library, and repair its texts",
     .operands = "LIBRARY",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Verifies a library: every checksum, the order of its keys, and that every document is found by "
                    "its own keys. Prints OK, or lists what is damaged and exits with code 4. Reads no texts but those "
                    "kept in the library. --repair drops damaged records from these.",
     .details = "With --repair, each damaged place that is listed is overwritten with blanks, and the next check is "
                "OK. Damaged segments cannot be repaired: restore them from a copy. What was being written when a "
                "server was killed or lost power is no damage.\n"
                "The other verbs check what they read as they read it; running this first is not necessary.\n",
     .examples = {"refrain help library", "refrain library check --help"}},
    {.verb = Verb::library_merge,
     .name = "library merge",
     .summary = "merge all segments and forget what was removed",
     .operands = "LIBRARY",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Merges all segments of a library into one, forgets removed documents for good, and reclaims their "
                    "space. Answers stay the same.",
     .details = "",
     .examples = {"refrain help library", "refrain library merge --help"}},
    {.verb = Verb::library_remove,
     .name = "library remove",
     .summary = "remove documents by id or source",
     .operands = "LIBRARY [ID...]",
     .min_operands = 1,
     .max_operands = kNoLimit,
     .operand_choices = nullptr,
     .description = "Removes documents from the library, all that have one of the ids or come from one of the sources: "
                    "new documents are no longer compared with them. Ids and sources that it does not have are listed "
                    "on standard error. Exits with code 1 if it has none of them.",
     .details = "What is known of removed documents stays on disk until their segment is merged: gradually, or at once "
                "by `refrain library merge`.\n",
     .examples = {"refrain help library", "refrain library remove --help"}},
    {.verb = Verb::library_export,
     .name = "library export",
     .summary = "list the documents of a library as JSONL",
     .operands = "LIBRARY",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Prints one JSON object per document, best-ranked first: id, digest (of its text, 32 hexadecimal "
                    "digits), source, origin (the run that it came from), file, begin and bytes (where its text lies), "
                    "text_bytes.",
     .details = "file is null if it is not known where the text is. bytes is 0 if the file has to be read from its "
                "beginning to find the text.\n",
     .examples = {"refrain help library", "refrain library export --help"}},
    {.verb = Verb::serve,
     .name = "serve",
     .summary = "serve an index or a library over HTTP",
     .operands = "[INDEX]",
     .min_operands = 0,
     .max_operands = 1,
     .operand_choices = nullptr,
     .description = "Serves an index over HTTP until interrupted (SIGTERM, SIGINT): queries, passages, documents, "
                    "statistics; and with --library, whether documents have been seen before. "
                    "docs/openapi.json describes the API. Prints the address to standard error.",
     .details = "With --add, new documents join the library, which is created if it does not exist. They are on disk "
                "before the answer says so.\n"
                "On loopback anyone may read, unless --token-for-reads is given. Writing, and listening on any other "
                "address, requires a token, which requests send as `Authorization: Bearer TOKEN`. Requests from web "
                "pages of other sites are refused. See SECURITY.md.\n",
     .examples = {"refrain index create index /usr/share/common-licenses -q",
                  "timeout --preserve-status 1 refrain serve index --listen 127.0.0.1:0 -q"}},
    {.verb = Verb::devices,
     .name = "devices",
     .summary = "list the GPUs that --device can use",
     .operands = "",
     .min_operands = 0,
     .max_operands = 0,
     .operand_choices = nullptr,
     .description = "Lists the GPUs of this machine that --device cuda can use, with their memory, or says why there "
                    "are none.",
     .details = "",
     .examples = {"refrain devices", "refrain devices --json"}},
    {.verb = Verb::completion,
     .name = "completion",
     .summary = "print a shell completion script",
     .operands = "bash|zsh|fish",
     .min_operands = 1,
     .max_operands = 1,
     .operand_choices = shells,
     .description = "Prints a script that lets the shell complete the verbs, flags and values of refrain.",
     .details = "For zsh, write it to a file named _refrain in a folder of $fpath; for fish, to "
                "~/.config/fish/completions/refrain.fish.\n",
     .examples = {"refrain completion bash > refrain.bash && . ./refrain.bash",
                  "refrain completion fish > refrain.fish"}},
    {.verb = Verb::man,
     .name = "man",
     .summary = "print the man page",
     .operands = "",
     .min_operands = 0,
     .max_operands = 0,
     .operand_choices = nullptr,
     .description = "Shows the man page of refrain. If standard output is not a terminal, prints it in roff format.",
     .details = "",
     .examples = {"refrain man > refrain.1", "refrain man | man -l -"}},
    {.verb = Verb::help,
     .name = "help",
     .summary = "print help for the program or a verb",
     .operands = "[VERB]",
     .min_operands = 0,
     .max_operands = 1,
     .operand_choices = all_verb_names,
     .description = "Prints the help of a verb, or the list of verbs.",
     .details = "",
     .examples = {"refrain help", "refrain help near"}},
};

}  // namespace

std::span<const VerbInfo> store_verbs() {
  return kStoreVerbs;
}

}  // namespace refrain::cli
