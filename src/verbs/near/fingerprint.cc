// fingerprint: a row a document.
#include "refrain/fingerprint.h"

#include <memory>
#include <vector>

#include "base/budget.h"
#include "base/progress.h"
#include "corpus/source/reader.h"
#include "verbs/run/tsv.h"

namespace refrain {

FingerprintReport fingerprint(const InputOptions& input, const FingerprintOptions& options, const Context& context,
                              const std::function<void(std::string_view)>& out) {
  const Stopwatch watch;
  MemoryBudget budget(context);
  const Fingerprinter fingerprinter(options);
  FingerprintReport report;
  out("id\thash\n");
  report.read =
      corpus::read_documents(input, context, budget, [&](unsigned /*worker*/, corpus::Batch& batch) -> corpus::InOrder {
        struct Done {
          std::vector<std::uint64_t> hashes;
          std::vector<std::uint8_t> valid;
          std::vector<std::uint8_t> bad;
          corpus::BatchIds ids;
        };
        const std::size_t size = batch.texts.size();
        auto done = std::make_shared<Done>();
        done->hashes.resize(size);
        done->valid.resize(size);
        fingerprinter.batch(batch.texts, done->hashes.data(), done->valid.data());
        done->bad = std::move(batch.bad);
        done->ids = std::move(batch.ids);
        return [&out, &report, done](DocId first) {
          std::string rows;
          for (std::size_t i = 0; i < done->hashes.size(); ++i) {
            if (done->bad[i] != 0) continue;
            if (done->ids.ordinals)
              verbs::run::append_decimal(rows, first + i);
            else
              verbs::run::append_escaped(rows, done->ids[i]);
            rows += '\t';
            if (done->valid[i] != 0)
              verbs::run::append_decimal(rows, done->hashes[i]);
            else
              ++report.too_short;
            rows += '\n';
          }
          out(rows);
        };
      });
  report.seconds = watch.seconds();
  return report;
}

}  // namespace refrain
