#include "verbs/index/query/query.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/relay.h"
#include "base/threads.h"
#include "corpus/source/join_hyphens.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/index/query/compare.h"
#include "verbs/index/query/hits.h"
#include "verbs/index/query/query_workers.h"
#include "verbs/index/query/record.h"
#include "verbs/index/query/wanted.h"
#include "verbs/index/read/given_texts.h"
#include "verbs/run/skipped.h"

namespace refrain::verbs::index {
namespace {

constexpr const char* kAnswerWhat = "the answers of a query";
constexpr std::uint64_t kAnswerBytes = 512;  // an answer takes about as many, besides its passages
constexpr const char* kOwnWhat = "the text of the query document";

// Holds the passages of a document until it is its turn.
class WaitingPassages final : public PassageSink {
 public:
  explicit WaitingPassages(MemoryBudget& budget) : room_(budget.reserve(0, kAnswerWhat)) {}

  bool empty() const { return passages_.empty(); }

  void begin(const PassageHead& head) override {
    hold(kAnswerBytes + sizeof head + head.text.size());
    passages_.push_back({head, {}});
  }
  void occurrence(const Occurrence& occurrence) override {
    hold(sizeof occurrence + occurrence.id.size() + occurrence.text.size() +
         occurrence.shared.size() * sizeof(ByteRange));
    passages_.back().occurrences.push_back(occurrence);
  }
  void end() override {}

  void tell(const std::string& id, PassageSink& sink) {
    for (Passage& passage : passages_) {
      passage.head.query = id;
      sink.begin(passage.head);
      for (const Occurrence& occurrence : passage.occurrences) sink.occurrence(occurrence);
      sink.end();
    }
  }

 private:
  struct Passage {
    PassageHead head;
    std::vector<Occurrence> occurrences;
  };
  void hold(std::uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ > room_.bytes()) room_.resize(bytes_ + bytes_ / 4, kAnswerWhat);
  }

  Reservation room_;
  std::uint64_t bytes_ = 0;
  std::vector<Passage> passages_;
};

// Adds the answers to some documents. A changed document is counted once for each query document that led to it.
void add(QueryReport& to, const QueryReport& some, std::uint64_t documents = 1) {
  to.documents += documents;
  if (!some.cursor.empty()) ++to.shortened;
  to.tokens += some.tokens;
  to.candidates += some.candidates;
  to.compared += some.compared;
  to.unverified += some.unverified;
  to.passages += some.passages;
  to.occurrences += some.occurrences;
  to.cursor = some.cursor;
  for (const ChangedDocument& changed : some.changed) {
    const auto same = [&](const ChangedDocument& other) { return other.id == changed.id; };
    if (std::any_of(to.changed.begin(), to.changed.end(), same)) continue;
    if (to.changed.size() < kChangedNamed) to.changed.push_back(changed);
  }
  to.changed_documents += some.changed_documents;
}

class QueryRun {
 public:
  QueryRun(Snapshot& snapshot, const QueryOptions& options, const Context& context, PassageSink& sink)
      : snapshot_(snapshot),
        options_(options),
        context_(context),
        sink_(sink),
        budget_(context),
        excluded_(options.limits, snapshot.layout(), budget_, context.stop),
        wanted_(snapshot, options, context, budget_),
        idle_(thread_count(context)),
        holding_(snapshot) {}

  QueryReport run();

 private:
  // Each worker has its own snapshot.
  struct Worker {
    explicit Worker(const Snapshot& of) : snapshot(of.clone()), holding(*snapshot) {}
    std::unique_ptr<Snapshot> snapshot;
    Snapshot::Holding holding;
    std::uint64_t asked = 0;  // number of documents
  };
  // The answer to a document, held until it is its turn.
  struct Answer {
    std::string id;
    std::unique_ptr<WaitingPassages> passages;  // null: nothing was asked for it
    QueryReport report;
  };

  // The answers to a batch of documents. Of those with nothing to report, which may be a million empty lines, only the
  // sum is kept.
  struct Answers {
    std::vector<std::pair<std::size_t, Answer>> reported;  // by number in the batch
    QueryReport rest;
  };

  using Workers = std::vector<std::unique_ptr<Worker>>;

  void check_options() const;
  Snapshot& snapshot_of(Workers& workers, unsigned worker);
  void query_given(const QueryDocument& document);
  void query_own();
  void query_input();
  void query_all();
  Answer query_one_of_all(Snapshot& snapshot, DocId document, const Context& context);
  WantedBlocks behind(Snapshot& snapshot, DocId document) const;
  void tell(Answer& answer);

  Snapshot& snapshot_;
  const QueryOptions& options_;
  const Context& context_;
  PassageSink& sink_;
  MemoryBudget budget_;
  ExcludedTexts excluded_;
  WantedDocuments wanted_;
  IdleThreads idle_;
  Snapshot::Holding holding_;
  QueryReport report_;
};

QueryReport QueryRun::run() {
  const Stopwatch watch;
  report_.generation = snapshot_.manifest().generation;
  check_options();
  if (!options_.id.empty()) query_own();
  if (options_.documents.size() > 1) holding_.hold_pages(budget_, 1);
  for (const QueryDocument& document : options_.documents) query_given(document);
  if (!options_.input.empty()) query_input();
  if (options_.self) query_all();
  if (report_.documents != 1 || options_.self) {
    if (!options_.cursor.empty())
      throw Error(Errc::invalid_argument, "`cursor`: continues the answer to one document; ask about that one alone");
    report_.cursor.clear();
  }
  wanted_.tell(report_);
  if (!options_.id.empty()) report_.unknown_queries = 0;  // rows of other documents do not count
  report_.seconds = watch.seconds();
  return std::move(report_);
}

void QueryRun::check_options() const {
  check_noise(options_.limits);
  const bool given = !options_.documents.empty() || !options_.input.empty();
  const int kinds = (given ? 1 : 0) + (options_.id.empty() ? 0 : 1) + (options_.self ? 1 : 0);
  if (kinds > 1)
    throw Error(Errc::invalid_argument, "a query takes texts, a document of the index, or all of them; choose one");
  if (options_.self && !options_.cursor.empty())
    throw Error(Errc::invalid_argument, "`cursor`: continues the answer to one document; remove `self`");
}

// The snapshot of this worker, for its next document.
Snapshot& QueryRun::snapshot_of(Workers& workers, unsigned worker) {
  if (!workers[worker]) workers[worker] = std::make_unique<Worker>(snapshot_);
  if (++workers[worker]->asked == 2)
    workers[worker]->holding.hold_pages(budget_, static_cast<unsigned>(workers.size()));
  return *workers[worker]->snapshot;
}

void QueryRun::query_given(const QueryDocument& document) {
  const AskedRecord asked{document.id, document.text, std::nullopt, wanted_.of(snapshot_, document.id)};
  if (asked.has_no_documents()) return;
  add(report_, query_record(snapshot_, asked, options_, excluded_, context_, budget_, idle_, sink_));
}

void QueryRun::query_own() {
  const std::optional<DocId> document = snapshot_.find(options_.id);
  if (!document) throw Error(Errc::not_found, options_.id + ": no document in the index has this id");
  Reservation room = budget_.reserve(snapshot_.text_room(*document), kOwnWhat);
  const std::string text = snapshot_.text(*document);
  room.resize(text.capacity(), kOwnWhat);
  const AskedRecord asked{options_.id, text, document, wanted_.of(snapshot_, options_.id)};
  if (asked.has_no_documents()) return;
  add(report_, query_record(snapshot_, asked, options_, excluded_, context_, budget_, idle_, sink_));
}

void QueryRun::query_input() {
  corpus::refuse_joined(options_.input);
  InputOptions input = options_.input;
  const bool has_fields = !input.text_field.empty() || !input.id_field.empty();
  if (input.paths == std::vector<std::string>{"-"} && input.format == Format::automatic && !has_fields)
    input.format = Format::files;
  Workers workers(thread_count(context_));
  Context quiet = context_;
  quiet.progress = nullptr;
  const auto ask = [&](unsigned worker, corpus::Batch& batch) -> corpus::InOrder {
    if (wanted_.by_query() && batch.ids.ordinals)
      throw Error(Errc::bad_input, "`pairs`: the documents of the input have no ids; name them with `id_field`");
    auto answers = std::make_shared<Answers>();
    Answer answer;
    for (std::size_t i = 0; i < batch.texts.size(); ++i) {
      throw_if_stopped(context_);
      if (batch.bad[i] != 0) continue;
      Snapshot& snapshot = snapshot_of(workers, worker);
      if (!batch.ids.ordinals) answer.id = batch.ids[i];
      const AskedRecord asked{answer.id, batch.texts[i], std::nullopt, wanted_.of(snapshot, answer.id)};
      if (asked.has_no_documents()) continue;
      if (!answer.passages) answer.passages = std::make_unique<WaitingPassages>(budget_);
      answer.report = query_record(snapshot, asked, options_, excluded_, quiet, budget_, idle_, *answer.passages);
      if (answer.passages->empty() && answer.report.cursor.empty() && answer.report.changed.empty())
        add(answers->rest, answer.report);
      else
        answers->reported.emplace_back(i, std::exchange(answer, {}));
    }
    return [this, answers, ordinals = batch.ids.ordinals](DocId first) {
      add(report_, answers->rest, answers->rest.documents);
      for (auto& [number, one] : answers->reported) {
        if (ordinals) one.id = std::to_string(first + number);
        tell(one);
      }
    };
  };
  report_.read = run::read_listed(input, context_, budget_, ask, {.takes_long = true});
}

// Queries all documents of the index. Each gets the answer of query_own(), without the documents that it is not
// compared with.
void QueryRun::query_all() {
  const unsigned threads = thread_count(context_);
  Workers workers(threads);
  Context quiet = context_;
  quiet.progress = nullptr;
  Relay<Answer> relay(threads);
  Progress progress(context_, "query", "documents", snapshot_.documents());
  relay.run(
      snapshot_.documents(),
      [&](unsigned worker, std::size_t document, Answer& answer) {
        throw_if_stopped(context_);
        answer = query_one_of_all(snapshot_of(workers, worker), document, quiet);
      },
      [&](std::size_t, Answer& answer) {
        tell(answer);
        progress.add(1);
      });
  progress.finish();
}

QueryRun::Answer QueryRun::query_one_of_all(Snapshot& snapshot, DocId document, const Context& context) {
  Answer answer;
  if (snapshot.removed(document)) return answer;
  answer.id = snapshot.id(document);
  std::optional<WantedBlocks> wanted = wanted_.are_all() ? behind(snapshot, document) : wanted_.of(snapshot, answer.id);
  if (wanted->empty()) return answer;
  answer.passages = std::make_unique<WaitingPassages>(budget_);
  Reservation room = budget_.reserve(snapshot.text_room(document), kOwnWhat);
  std::string text;
  try {
    text = snapshot.text(document);
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;
    answer.report.changed.push_back({answer.id, error.what()});
    answer.report.changed_documents = 1;
    return answer;
  }
  room.resize(text.capacity(), kOwnWhat);
  answer.report = query_record(snapshot, {answer.id, text, document, std::move(wanted)}, options_, excluded_, context,
                               budget_, idle_, *answer.passages);
  return answer;
}

// The blocks of all documents that were added after it.
WantedBlocks QueryRun::behind(Snapshot& snapshot, DocId document) const {
  const std::uint64_t begin = blocks_of_document(snapshot, document).end;
  if (begin == snapshot.blocks()) return {};
  return {{document + 1, begin, snapshot.blocks()}};
}

void QueryRun::tell(Answer& answer) {
  if (!answer.passages) return;
  answer.passages->tell(answer.id, sink_);
  answer.passages.reset();
  add(report_, answer.report);
}

}  // namespace

QueryReport query_index(Snapshot& snapshot, const QueryOptions& options, const Context& context, PassageSink& sink) {
  if (!options.cursor.empty()) check_cursor(options.cursor, checksum(snapshot.identity()));
  return QueryRun(snapshot, options, context, sink).run();
}

}  // namespace refrain::verbs::index
