#include "verbs/index/query/query.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/progress.h"
#include "base/threads.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/index/query/record.h"
#include "verbs/index/read/excluded_texts.h"

namespace refrain::verbs::index {
namespace {

constexpr const char* kAnswerWhat = "the answers of a query";
constexpr const char* kOwnWhat = "the text of the query document";

// The passages of a document, until it is its turn.
class WaitingPassages final : public PassageSink {
 public:
  explicit WaitingPassages(MemoryBudget& budget) : room_(budget.reserve(0, kAnswerWhat)) {}

  void begin(const PassageHead& head) override {
    hold(sizeof head + head.text.size());
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

class QueryRun {
 public:
  QueryRun(Snapshot& snapshot, const QueryOptions& options, const Context& context, PassageSink& sink)
      : snapshot_(snapshot),
        options_(options),
        context_(context),
        sink_(sink),
        budget_(context),
        excluded_(options.limits, snapshot.layout(), budget_, context.stop) {}

  QueryReport run();

 private:
  void ask_input();
  void ask_own();
  void add(const QueryReport& one);

  Snapshot& snapshot_;
  const QueryOptions& options_;
  const Context& context_;
  PassageSink& sink_;
  MemoryBudget budget_;
  ExcludedTexts excluded_;
  QueryReport report_;
};

QueryReport QueryRun::run() {
  const Stopwatch watch;
  report_.generation = snapshot_.manifest().generation;
  if (options_.limits.noise <= 0 || options_.limits.noise >= 1)
    throw Error(Errc::invalid_argument, "--noise: must be above 0 and below 1");
  const bool given = !options_.documents.empty() || !options_.input.empty();
  if (!options_.id.empty() && given)
    throw Error(Errc::invalid_argument, "a query takes texts or a document of the index, not both");
  if (!options_.id.empty()) ask_own();
  for (const QueryDocument& document : options_.documents)
    add(query_record(snapshot_, {document.id, document.text, std::nullopt}, options_, excluded_, context_, budget_,
                     sink_));
  if (!options_.input.empty()) ask_input();
  if (report_.documents != 1) {
    if (!options_.cursor.empty())
      throw Error(Errc::invalid_argument, "--cursor: continues the answer to one document; ask about that one alone");
    report_.cursor.clear();
  }
  report_.seconds = watch.seconds();
  return std::move(report_);
}

void QueryRun::ask_own() {
  const std::optional<DocId> document = snapshot_.find(options_.id);
  if (!document) throw Error(Errc::not_found, options_.id + ": no document in the index has this id");
  Reservation room = budget_.reserve(snapshot_.text_room(*document), kOwnWhat);
  const std::string text = snapshot_.text(*document);
  room.resize(text.capacity(), kOwnWhat);
  add(query_record(snapshot_, {options_.id, text, document}, options_, excluded_, context_, budget_, sink_));
}

void QueryRun::ask_input() {
  InputOptions input = options_.input;
  const bool has_fields = !input.text_field.empty() || !input.id_field.empty();
  if (input.paths == std::vector<std::string>{"-"} && input.format == Format::automatic && !has_fields)
    input.format = Format::files;
  std::vector<std::unique_ptr<Snapshot>> snapshots(thread_count(context_));
  Context quiet = context_;
  quiet.progress = nullptr;
  struct Answer {
    std::unique_ptr<WaitingPassages> passages;
    QueryReport report;
  };
  report_.read =
      corpus::read_documents(input, context_, budget_, [&](unsigned worker, corpus::Batch& batch) -> corpus::InOrder {
        if (!snapshots[worker]) snapshots[worker] = snapshot_.clone();
        auto answers = std::make_shared<std::vector<Answer>>(batch.texts.size());
        for (std::size_t i = 0; i < batch.texts.size(); ++i) {
          throw_if_stopped(context_);
          if (batch.bad[i] != 0) continue;
          Answer& answer = (*answers)[i];
          answer.passages = std::make_unique<WaitingPassages>(budget_);
          const std::string_view id = batch.ids.ordinals ? std::string_view() : batch.ids[i];
          answer.report = query_record(*snapshots[worker], {id, batch.texts[i], std::nullopt}, options_, excluded_,
                                       quiet, budget_, *answer.passages);
        }
        auto ids = std::make_shared<corpus::BatchIds>(std::move(batch.ids));
        return [this, answers, ids](DocId first) {
          for (std::size_t i = 0; i < answers->size(); ++i) {
            Answer& answer = (*answers)[i];
            if (!answer.passages) continue;
            answer.passages->tell(ids->ordinals ? std::to_string(first + i) : std::string((*ids)[i]), sink_);
            answer.passages.reset();
            add(answer.report);
          }
        };
      });
}

// Changed documents are counted once for each document that met them.
void QueryRun::add(const QueryReport& one) {
  ++report_.documents;
  if (!one.cursor.empty()) ++report_.shortened;
  report_.tokens += one.tokens;
  report_.candidates += one.candidates;
  report_.compared += one.compared;
  report_.passages += one.passages;
  report_.occurrences += one.occurrences;
  report_.cursor = one.cursor;
  for (const ChangedDocument& changed : one.changed) {
    const auto same = [&](const ChangedDocument& other) { return other.id == changed.id; };
    if (std::any_of(report_.changed.begin(), report_.changed.end(), same)) continue;
    if (report_.changed.size() < kChangedNamed) report_.changed.push_back(changed);
  }
  report_.changed_documents += one.changed_documents;
}

}  // namespace

QueryReport query_index(Snapshot& snapshot, const QueryOptions& options, const Context& context, PassageSink& sink) {
  return QueryRun(snapshot, options, context, sink).run();
}

}  // namespace refrain::verbs::index
