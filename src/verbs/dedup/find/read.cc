// dedup, first stage: reads the input once and stores everything that later stages need of it.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "corpus/source/reader.h"
#include "engines/cuda/feed.h"
#include "refrain/error.h"
#include "text/windows.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/places.h"
#include "verbs/dedup/state/ranks.h"
#include "verbs/dedup/state/sources.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/skipped.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::dedup {

namespace {

// The results computed from one batch. Reused for other batches.
struct BatchResult {
  explicit BatchResult(MemoryBudget& budget)
      : reservation(budget.reserve(0, kWhat)), text(budget, "the text being read") {}
  void clear() {
    text.clear();
    text_bytes = 0;
    lengths.clear();
    digests.clear();
    states.clear();
    keys.clear();
    sources.clear();
    source_numbers.clear();
    places.clear();
  }
  // Batches with a long document are rare, so their large buffers are not kept.
  bool may_be_kept() const { return text.size() <= kMostKeptBytes; }
  static constexpr std::size_t kMostKeptBytes = std::size_t{4} << 20;
  static constexpr std::string_view kWhat = "what was computed from the text";
  Reservation reservation;  // for everything but the text
  Array<char> text;         // held until it is written
  std::uint64_t text_bytes = 0;
  std::uint64_t text_place = 0;
  std::vector<std::uint64_t> lengths;
  std::vector<Digest> digests;
  std::vector<DocState> states;
  std::vector<std::uint64_t> keys;
  std::vector<std::string> sources;    // one for the batch, or one per record
  std::vector<std::uint8_t> sketches;  // of the near method: all columns of a record, then those of the next
  corpus::BatchIds ids;
  std::vector<PlaceRow> places;  // of records: offsets from the beginning of the batch
  RecordPlaces records;

  // Known once the batch has had its turn.
  DocId first = 0;
  std::uint64_t text_begin = 0;
  std::uint64_t ids_begin = 0;
  std::vector<std::uint32_t> source_numbers;
};

// A thread that processes texts needs this.
struct Worker {
  Worker(const text::FeaturePlan& plan, const NearFinder* near)
      : stream(plan), sketcher(near == nullptr ? nullptr : near->sketcher()) {}
  text::FeatureStream stream;
  std::unique_ptr<Sketcher> sketcher;
  std::vector<std::uint8_t> judged;
};

class Reading {
 public:
  explicit Reading(DedupRun& run)
      : run_(run),
        plan_(run.options.windows),
        policy_(run.options.keep),
        alone_(run.context),
        writes_early_(run.budget.available() >= kPlentyBytes),
        text_(run.dir, "text", run.budget),
        text_ends_(run.dir.create_work("text_ends")),
        ids_(run.dir.create_work("ids")),
        id_ends_(run.dir.create_work("id_ends")),
        digests_(run.dir.create_work("hashes")),
        states_(run.dir.create_work("states")),
        sources_(run.dir.create_work("sources")),
        places_(run.updates_library() ? std::make_unique<PlaceWriter>(run) : nullptr),
        sources_reservation_(run.budget.reserve(0, "the names of the sources")) {
    if (run.near != nullptr) {
      columns_ = run.near->columns();
      sketch_bytes_ = run.near->width();
    }
    for (const SketchColumn& column : columns_) column_files_.push_back(run.dir.create_work(column.name));
    if (!policy_.in_input_order()) keys_.emplace(run.dir.create_work("keys"));
    input_ = run.options.input;
    if (policy_.needs_field()) {
      key_field_ = input_.extra_fields.size();
      input_.extra_fields.push_back(run.options.keep.field);
    }
    if (!run.options.source_field.empty()) {
      source_field_ = input_.extra_fields.size();
      input_.extra_fields.push_back(run.options.source_field);
    }
  }

  void run() {
    open_device();
    const Stopwatch watch;
    std::vector<std::unique_ptr<Worker>> workers(run_.threads);
    run::SkippedTable skipped(run_.context, run_.budget);
    const ReadReport read = corpus::read_documents(
        input_, run_.context, run_.budget,
        [&](unsigned worker, corpus::Batch& batch) -> corpus::InOrder {
          if (!workers[worker]) workers[worker] = std::make_unique<Worker>(plan_, run_.near);
          auto done = digest_batch(batch, worker, *workers[worker]);
          return {[this, done](DocId first) { place(*done, first); }, [this, done] { write(*done); }};
        },
        {.raw = places_ != nullptr,
         .keeps_texts = !writes_early_,
         .record_bytes = record_bytes(source_field_ != kNone),
         .skipped = [&](const SkippedFile& file) { skipped.add(file); }});
    run::RunFile list = run_.dir.create_work(run::kSkippedName);
    skipped.write([&](std::string_view text) { list.write(text); });
    run_.dir.close(list);
    if (feed_) run_.report.device = feed_->report(watch.seconds());
    feed_.reset();
    finish(read);
  }

 private:
  void open_device() {
    const NearDevice& device = run_.plan.device;
    if (device.device)
      feed_.emplace(device.device, device.rule, run_.threads, run_.options.device.memory_bytes, run_.budget);
  }

  std::shared_ptr<BatchResult> digest_batch(corpus::Batch& batch, unsigned number, Worker& worker) {
    auto done = pool_.take([&] { return std::make_unique<BatchResult>(run_.budget); });
    done->clear();
    const std::size_t size = batch.texts.size();
    if (size != 0) {
      const auto begin = static_cast<std::size_t>(batch.texts.offsets.front());
      const auto end = static_cast<std::size_t>(batch.texts.offsets.back());
      done->text_bytes = end - begin;
      if (writes_early_) {
        done->text_place = text_.allot(end - begin);
        text_.write_at(done->text_place, {batch.texts.text + begin, end - begin});
      } else {
        done->text.append(std::span(batch.texts.text + begin, end - begin));
      }
    }
    const bool own_source = source_field_ != kNone || batch.file.empty();
    if (const std::size_t bytes = size * record_bytes(own_source); bytes > done->reservation.bytes())
      done->reservation.resize(bytes, BatchResult::kWhat);
    done->lengths.reserve(size);
    done->digests.resize(size);
    done->states.reserve(size);
    if (keys_) done->keys.reserve(size);
    done->sketches.assign(size * sketch_bytes_, 0);
    sketch_batch(number, batch, worker, *done);
    if (!own_source) done->sources.emplace_back(batch.file);
    for (std::size_t i = 0; i < size; ++i) {
      const std::string_view text = batch.texts[i];
      done->lengths.push_back(text.size());
      const bool bad = batch.bad[i] != 0;
      done->states.push_back(bad ? DocState::bad : worker.judged[i] != 0 ? DocState::judged : DocState::too_short);
      std::string source;
      if (source_field_ != kNone)
        source = batch.fields.value(i, source_field_);
      else if (batch.file.empty())
        source = batch.ids.ordinals ? std::string() : folder_of(batch.ids[i]);
      if (own_source) done->sources.push_back(source);
      if (keys_)
        done->keys.push_back(
            bad ? kLastKey
                : policy_.key(text.size(), done->sources.size() == 1 ? done->sources[0] : source,
                              key_field_ == kNone ? std::string_view() : batch.fields.value(i, key_field_),
                              key_field_ != kNone && batch.fields.kind(i, key_field_) == corpus::FieldKind::number));
    }
    if (places_) done->records = find_places(batch, done->places);
    done->ids = std::move(batch.ids);
    return done;
  }

  // The memory that a record of a batch takes, besides its text and its id.
  std::size_t record_bytes(bool own_source) const {
    std::size_t bytes =
        sizeof(std::uint64_t) + sizeof(Digest) + sizeof(DocState) + sizeof(std::uint32_t) + sketch_bytes_;
    if (keys_) bytes += sizeof(std::uint64_t);
    if (places_) bytes += sizeof(PlaceRow);
    if (own_source) bytes += sizeof(std::string);
    return bytes;
  }

  // Computes the digests and sketches of all texts, on the device if there is one. Sets worker.judged[i] to 0 if a
  // text is too short or too vague.
  void sketch_batch(unsigned number, const corpus::Batch& batch, Worker& worker, BatchResult& done) {
    worker.judged.assign(batch.texts.size(), 1);
    const auto on_cpu = [&](std::size_t i) {
      done.digests[i] = digest(batch.texts[i]);
      if (worker.sketcher && batch.bad[i] == 0)
        worker.judged[i] = sketch(batch.texts[i], worker, &done.sketches[i * sketch_bytes_]) ? 1 : 0;
    };
    const auto take = [&](std::size_t i, const std::uint8_t* made, const Digest* text_digest) {
      if (made == nullptr || batch.bad[i] != 0) return on_cpu(i);  // computed on the CPU at once
      done.digests[i] = *text_digest;
      std::memcpy(&done.sketches[i * sketch_bytes_], made, sketch_bytes_);
    };
    if (feed_)
      feed_->run(number, batch.texts, take, on_cpu);
    else
      for (std::size_t i = 0; i < batch.texts.size(); ++i) on_cpu(i);
    for (const std::uint32_t i : batch.vague) worker.judged[i] = 0;
  }

  // Returns false if the text is too short to be judged.
  static bool sketch(std::string_view text, Worker& worker, std::uint8_t* values) {
    std::size_t count = 0;
    worker.sketcher->start();
    worker.stream.start(text);
    for (std::span<const std::uint64_t> features; worker.stream.next(features); count += features.size())
      worker.sketcher->add(features);
    worker.sketcher->finish(values);
    return count != 0;
  }

  static std::string folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash));
  }

  // Called in input order. Assigns the place of everything, and counts what must be counted in order.
  void place(BatchResult& done, DocId first) {
    const std::size_t count = done.lengths.size();
    done.first = first;
    if (!writes_early_) done.text_place = text_.allot(done.text_bytes);
    done.text_begin = text_.put_in_order(done.text_place, done.text_bytes);
    own_ids_ = own_ids_ || !done.ids.ordinals;
    if (done.ids.ordinals) {
      done.ids.bytes.clear();
      done.ids.ends.clear();
      for (std::size_t i = 0; i < count; ++i) {
        run::append_decimal(done.ids.bytes, first + i);
        done.ids.ends.push_back(done.ids.bytes.size());
      }
    }
    done.ids_begin = ids_at_;
    ids_at_ += done.ids.bytes.size();
    for (std::size_t i = 0; i < count; ++i) {
      const bool bad = done.states[i] == DocState::bad;
      done.source_numbers.push_back(bad ? 0 : number_of(done.sources[done.sources.size() == 1 ? 0 : i]));
      run_.report.too_short += done.states[i] == DocState::too_short ? 1 : 0;
      if (bad) continue;
      if (keys_) run_.report.unranked += done.keys[i] == kLastKey ? 1 : 0;
      if (source_field_ != kNone) run_.report.unsourced += done.sources[i].empty() ? 1 : 0;
    }
    if (places_) places_->place(done.records, done.places);
    documents_ += count;
    // Reserves what deciding on all documents so far will take: what cannot fit is refused now, not after reading
    // everything.
    alone_.reserve(documents_ * (sizeof(DocId) + sizeof(Decision) + 1), "the decisions");
  }

  // Called after the batch's turn, in parallel with other batches.
  void write(BatchResult& done) {
    if (!writes_early_) text_.write_at(done.text_place, {done.text.data(), done.text.size()});
    std::uint64_t end = done.text_begin;
    for (std::uint64_t& length : done.lengths) end = length += end;
    text_ends_.write_values_at(done.first, std::span<const std::uint64_t>(done.lengths));
    ids_.write_at(done.ids_begin, done.ids.bytes);
    for (std::uint64_t& id_end : done.ids.ends) id_end += done.ids_begin;
    id_ends_.write_values_at(done.first, std::span<const std::uint64_t>(done.ids.ends));
    digests_.write_values_at(done.first, std::span<const Digest>(done.digests));
    states_.write_values_at(done.first, std::span<const DocState>(done.states));
    sources_.write_values_at(done.first, std::span<const std::uint32_t>(done.source_numbers));
    if (keys_) keys_->write_values_at(done.first, std::span<const std::uint64_t>(done.keys));
    if (places_) places_->write(done.first, done.places);
    write_sketches(done);
  }

  void write_sketches(const BatchResult& done) {
    const std::size_t count = done.lengths.size();
    std::vector<std::uint8_t> values;
    std::size_t begin = 0;  // offset of the column within a sketch
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::size_t width = columns_[c].width;
      values.resize(count * width);
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(values.data() + i * width, done.sketches.data() + i * sketch_bytes_ + begin, width);
      column_files_[c].write_at(done.first * width, {reinterpret_cast<const char*>(values.data()), values.size()});
      begin += width;
    }
  }

  std::uint32_t number_of(const std::string& source) {
    const auto [found, is_new] = numbers_.try_emplace(source, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) {
      run::append_escaped(names_, source);
      names_ += '\n';
      sources_bytes_ += source_bytes(source);
      if (sources_bytes_ > sources_reservation_.bytes())
        sources_reservation_.resize(sources_bytes_ + sources_bytes_ / 2, "the names of the sources");
    }
    return found->second;
  }

  // If every record fails the same way, the option is wrong, not the data.
  void check(const ReadReport& read) {
    if (read.documents == 0) return;
    if (run_.report.unsourced == read.documents)
      throw Error(Errc::bad_input, fmt::format("`source_field` {}: no document has this field; check its name",
                                               run_.options.source_field));
    if (run_.report.unranked == read.documents)
      throw Error(Errc::bad_input,
                  fmt::format("`keep` {}: {}", to_string(run_.options.keep),
                              policy_.needs_field()
                                  ? std::string("no document has this field with a value to rank by")
                                  : fmt::format("no document has one of these sources; there are {}; name those, or "
                                                "another field with `source_field`",
                                                largest_sources())));
  }

  // The sources with the most documents, and how many more there are: "'web' (12 documents), 'books' (3) and 2 more".
  std::string largest_sources() {
    constexpr std::size_t kShown = 5;
    for (run::RunFile* file : {&sources_, &states_}) run_.dir.close(*file);
    Array<std::uint64_t> sizes(run_.budget, "the sizes of the sources", numbers_.size());
    run::ColumnReader<std::uint32_t> sources(run_.dir.work("sources"));
    run::ColumnReader<DocState> states(run_.dir.work("states"));
    DocState state{};
    for (std::uint32_t source = 0; sources.next(source) && states.next(state);)
      if (state != DocState::bad) ++sizes[source];
    using Source = std::pair<std::uint64_t, std::string_view>;
    std::vector<Source> largest;
    for (const auto& [name, number] : numbers_) {
      largest.emplace_back(sizes[number], name);
      std::ranges::sort(largest, [](const Source& a, const Source& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      });
      if (largest.size() > kShown) largest.pop_back();
    }
    std::string text;
    for (const auto& [size, name] : largest) {
      const bool last = &name == &largest.back().second && numbers_.size() <= kShown;
      const std::string_view unit = !text.empty() ? "" : size == 1 ? " document" : " documents";
      text += fmt::format("{}'{}' ({}{})", text.empty() ? "" : last ? " and " : ", ", name, size, unit);
    }
    if (numbers_.size() > kShown) text += fmt::format(" and {} more", numbers_.size() - kShown);
    return text;
  }

  void finish(const ReadReport& read) {
    check(read);
    text_.close(run_.dir);
    for (run::RunFile* file : {&text_ends_, &ids_, &id_ends_, &digests_, &states_, &sources_}) run_.dir.close(*file);
    if (keys_) run_.dir.close(*keys_);
    if (places_) places_->close();
    for (run::RunFile& file : column_files_) run_.dir.close(file);
    run::RunFile names = run_.dir.create_work("source_names");
    names.write(names_);
    run_.dir.close(names);
    DedupReport& report = run_.report;
    report.read = read;
    for (const std::string& source : run_.options.keep.sources)
      if (!numbers_.contains(source)) report.absent_sources += (report.absent_sources.empty() ? "" : ", ") + source;
    if (!policy_.needs_field()) report.unranked = 0;
    report.sources = numbers_.size();
    if (own_ids_) count_shared_ids(run_);
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  DedupRun& run_;
  std::optional<cuda::Feed> feed_;  // nullopt: computed on the CPU
  const text::FeaturePlan plan_;
  const KeepRanker policy_;
  MemoryBudget alone_;  // the budget of a stage that has all memory for itself
  std::vector<SketchColumn> columns_;
  std::size_t sketch_bytes_ = 0;  // per record, all columns
  InputOptions input_;
  std::size_t key_field_ = kNone;
  std::size_t source_field_ = kNone;

  // Whether a text is written as soon as it is read, instead of after its turn, so that it need not be held while
  // it waits. Recording the order of the texts then takes a little memory.
  const bool writes_early_;
  static constexpr std::uint64_t kPlentyBytes = std::uint64_t{1} << 30U;

  Pool<BatchResult> pool_;
  run::StripedWriter text_;
  run::RunFile text_ends_;
  run::RunFile ids_;
  run::RunFile id_ends_;
  run::RunFile digests_;
  run::RunFile states_;
  run::RunFile sources_;
  std::optional<run::RunFile> keys_;
  const std::unique_ptr<PlaceWriter> places_;  // may be null
  std::vector<run::RunFile> column_files_;
  std::uint64_t ids_at_ = 0;
  std::uint64_t documents_ = 0;  // so far, bad ones included
  bool own_ids_ = false;         // the input gives ids; otherwise ordinals serve as ids
  Reservation sources_reservation_;
  std::uint64_t sources_bytes_ = 0;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::string names_;
};

}  // namespace

void dedup_read(DedupRun& run) {
  Reading(run).run();
}

}  // namespace refrain::verbs::dedup
