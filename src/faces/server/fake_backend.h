// A fake index for tests: it keeps documents in a map and makes up passages.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faces/server/backend.h"
#include "refrain/error.h"

namespace refrain::server {

// A query for the text "wait" runs until it is stopped. A query for a number N returns N passages of about
// `passage_bytes` bytes. A query for "fail" throws at once, and one for "late" after a passage. With
// `extraction_waits`, an extraction waits for go_on().
class FakeBackend final : public Backend {
 public:
  std::size_t passage_bytes = 100;
  mutable std::atomic<std::uint64_t> extractions{0};
  mutable std::atomic<std::uint64_t> waiting{0};  // queries and extractions that have started to wait
  mutable std::atomic<std::uint64_t> stopped{0};  // queries and extractions that were stopped while waiting
  std::atomic<std::uint64_t> extracted_passages{45};
  std::atomic<bool> extraction_waits{false};
  std::atomic<std::uint64_t> index_number{1};  // changing it simulates that another index has replaced this one
  void go_on() {
    const std::lock_guard lock(mutex_);
    extraction_waits = false;
    changed_.notify_all();
  }

  IndexStats stats() const override {
    const std::lock_guard lock(mutex_);
    IndexStats out;
    out.documents = documents_.size();
    out.generation = generation_;
    return out;
  }
  std::uint64_t generation() const override { return stats().generation; }
  std::string identity() const override {
    return fmt::format("index {}, generation {}", index_number.load(), generation());
  }

  QueryReport query(const QueryOptions& options, const Context& context, PassageSink& sink) const override {
    QueryReport report;
    report.generation = generation();
    if (!options.id.empty()) {
      if (!document(options.id)) throw Error(Errc::not_found, "no such document");
      return report;
    }
    if (!options.cursor.empty() && options.cursor != "next") throw Error(Errc::invalid_argument, "bad cursor");
    const std::string& text = options.documents.at(0).text;
    if (text == "fail") throw Error(Errc::corrupt, "broken");
    if (text == "wait") wait(context);
    if (text == "late") {
      passage(sink, 0);
      throw Error(Errc::corrupt, "broken");
    }
    const std::uint64_t count = std::strtoull(text.c_str(), nullptr, 10);
    for (std::uint64_t i = 0; i < count; ++i) passage(sink, i);
    if (options.cursor.empty() && count == options.limit) report.cursor = "next";
    return report;
  }

  ExtractReport extract(const ExtractOptions&, const Context& context, PassageSink& sink) const override {
    ++extractions;
    wait_to_go_on(context);
    for (std::uint64_t i = 0; i < extracted_passages; ++i) passage(sink, i);
    ExtractReport report;
    report.generation = generation();
    report.identity = identity();
    return report;
  }

  std::optional<IndexDocument> document(std::string_view id, const Context& /*context*/) const override {
    return document(id);
  }
  std::optional<IndexDocument> document(std::string_view id) const {
    const std::lock_guard lock(mutex_);
    const auto found = documents_.find(std::string(id));
    if (found == documents_.end()) return std::nullopt;
    return IndexDocument{found->first, found->second, 1};
  }

  IndexWriteReport add(const std::vector<QueryDocument>& documents, bool replace, const Context&) override {
    const std::lock_guard lock(mutex_);
    IndexWriteReport report;
    for (const QueryDocument& document : documents) {
      if (document.text == "disk") throw Error(Errc::over_budget, "the disk is full");
      if (document.text == "busy") throw Error(Errc::busy, "another process writes");
      if (!replace && documents_.contains(document.id)) throw Error(Errc::bad_input, "there already");
    }
    for (const QueryDocument& document : documents) documents_[document.id] = document.text;
    report.added = documents.size();
    report.generation = ++generation_;
    return report;
  }

  IndexWriteReport remove(const std::vector<std::string>& ids, const Context&) override {
    const std::lock_guard lock(mutex_);
    IndexWriteReport report;
    for (const std::string& id : ids) {
      if (documents_.erase(id) == 0) report.unknown.push_back(id);
    }
    report.removed = ids.size() - report.unknown.size();
    report.generation = ++generation_;
    return report;
  }

 private:
  void wait(const Context& context) const {
    ++waiting;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait(lock, context.stop, [] { return false; });
    ++stopped;
    throw Error(Errc::interrupted, "stopped");
  }

  void wait_to_go_on(const Context& context) const {
    std::unique_lock lock(mutex_);
    if (!extraction_waits) return;
    ++waiting;
    if (changed_.wait(lock, context.stop, [&] { return !extraction_waits; })) return;
    ++stopped;
    throw Error(Errc::interrupted, "stopped");
  }

  void passage(PassageSink& sink, std::uint64_t number) const {
    PassageHead head;
    head.text = std::to_string(number) + std::string(passage_bytes, 'x');
    sink.begin(head);
    sink.end();
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::map<std::string, std::string> documents_;
  std::uint64_t generation_ = 1;
};

}  // namespace refrain::server
