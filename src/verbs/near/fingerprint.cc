// The verb `fingerprint`: one row per document.
#include "refrain/fingerprint.h"

#include <memory>
#include <vector>

#include "base/budget.h"
#include "base/progress.h"
#include "corpus/files/listing.h"
#include "corpus/source/reader.h"
#include "refrain/memory.h"
#include "verbs/near/rows.h"
#include "verbs/run/skipped.h"
#include "verbs/run/tsv.h"

namespace refrain {

namespace {

// The results for a batch.
struct Done {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint8_t> valid;
  std::vector<std::uint8_t> bad;
  corpus::BatchIds ids;
};

// Calls take(done, first) for every batch, in input order.
template <class Take>
FingerprintReport fingerprint_all(const InputOptions& input, const FingerprintOptions& options, const Context& context,
                                  Take take) {
  const Stopwatch watch;
  MemoryBudget budget(context);
  const Reservation listing = corpus::reserve_listing(input, budget);
  const Fingerprinter fingerprinter(options);
  FingerprintReport report;
  report.version = fingerprint_version(options.tokenizer);
  const auto work = [&](unsigned /*worker*/, corpus::Batch& batch) -> corpus::InOrder {
    const std::size_t size = batch.texts.size();
    auto done = std::make_shared<Done>();
    done->hashes.resize(size);
    done->valid.resize(size);
    fingerprinter.batch(batch.texts, done->hashes.data(), done->valid.data());
    for (const std::uint32_t i : batch.vague) done->hashes[i] = done->valid[i] = 0;
    done->bad = std::move(batch.bad);
    done->ids = std::move(batch.ids);
    return [&take, &report, done](DocId first) {
      for (std::size_t i = 0; i < done->hashes.size(); ++i)
        report.too_short += done->bad[i] == 0 && done->valid[i] == 0 ? 1 : 0;
      take(*done, first);
    };
  };
  report.read = verbs::run::read_listed(input, context, budget, work);
  report.seconds = watch.seconds();
  return report;
}

}  // namespace

FingerprintReport fingerprint(const InputOptions& input, const FingerprintOptions& options, const Context& context,
                              const std::function<void(std::string_view)>& out) {
  out("id\tsimhash\t" + verbs::near::options_column(options) + "\n");
  return fingerprint_all(input, options, context, [&](const Done& done, DocId first) {
    std::string rows;
    for (std::size_t i = 0; i < done.hashes.size(); ++i) {
      if (done.bad[i] != 0) continue;
      if (done.ids.ordinals)
        verbs::run::append_decimal(rows, first + i);
      else
        verbs::run::append_escaped(rows, done.ids[i]);
      rows += '\t';
      if (done.valid[i] != 0) verbs::run::append_decimal(rows, done.hashes[i]);
      rows += "\t\n";
    }
    out(rows);
  });
}

FingerprintResult fingerprint(DocumentStream& documents, const FingerprintOptions& options, const Context& context) {
  FingerprintResult result;
  result.report =
      fingerprint_all(corpus::over_stream({}, documents, {}), options, context, [&](const Done& done, DocId) {
        result.fingerprints.insert(result.fingerprints.end(), done.hashes.begin(), done.hashes.end());
        for (std::size_t i = 0; i < done.valid.size(); ++i)
          result.valid.push_back(done.bad[i] == 0 && done.valid[i] != 0 ? 1 : 0);
      });
  return result;
}

}  // namespace refrain
