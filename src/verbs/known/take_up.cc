#include "verbs/known/take_up.h"

#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "engines/library/reader.h"
#include "verbs/known/old_texts.h"
#include "verbs/known/rules.h"
#include "verbs/known/text_records.h"
#include "verbs/run/host.h"

namespace refrain::verbs::known {

namespace {

constexpr const char* kServerOrigin = "refrain serve";
constexpr std::uint64_t kDigestBytes = 64;  // approximate memory of a digest in the set

}  // namespace

std::string source_of(std::string_view id) {
  std::string host = run::host_of(id);
  return host.empty() ? kTextsFolder : host;
}

TextsSegment::TextsSegment(library::SegmentWriter& out, const std::string& name) : out_(out) {
  const std::uint32_t origin = out.add(library::Origin{kServerOrigin, origin_input({.format = Format::jsonl})});
  file_ =
      out.add(library::TextFile{.path = name, .origin = origin, .format = static_cast<std::uint8_t>(Format::jsonl)});
}

void TextsSegment::add(library::NewDocument document, const std::string& source, const SourceTemplate* left_out) {
  const auto [found, is_new] = sources_.try_emplace(source, 0);
  if (is_new)
    found->second =
        out_.add(library::Source{source, left_out == nullptr ? std::vector<std::uint64_t>() : left_out->windows});
  document.source = found->second;
  document.place.file = file_;
  out_.add(document);
}

CommittedTexts commit_waiting_texts(library::LibraryWriter& writing, const std::filesystem::path& library,
                                    const Context& context, MemoryBudget& budget, TempSpace& temp) {
  CommittedTexts done;
  const std::vector<std::string> names = waiting_texts(library, writing.manifest());
  if (names.empty()) return done;
  const library::Layout& layout = writing.manifest().layout;
  const SketchPlan plan(rules_of(layout, library), layout);
  library::Reader reader(library, budget);
  const Templates templates(reader, nullptr, budget);
  std::optional<text::FeatureStream> stream;
  if (plan.features) stream.emplace(*plan.features);
  TextSketch sketch;
  std::set<Digest> seen;
  Reservation memory = budget.reserve(0, "the documents that a server added");
  for (const std::string& name : names) {
    TextRecords records(library / name, budget);
    TextsSegment segment(writing.add(name, 0, context, budget, temp), name);
    for (TextRecords::Record record; records.next(record);) {
      throw_if_stopped(context);
      const std::string source = source_of(record.id);
      const std::shared_ptr<const SourceTemplate> left_out = templates.of(source);
      const Reservation room = budget.reserve(sketch_memory_bytes(record.text.size()), "a long document");
      sketch_text(plan, record.text, left_out == nullptr ? nullptr : &left_out->left_out, stream ? &*stream : nullptr,
                  sketch);
      // After a failed write, the disk may have kept a record that was reported as not added.
      if (!seen.insert(sketch.digest).second) continue;
      if (seen.size() * kDigestBytes > memory.bytes())
        memory.resize(2 * seen.size() * kDigestBytes, "the documents that a server added");
      segment.add({.id = record.id,
                   .digest = sketch.digest,
                   .signature = sketch.signature,
                   .bands = sketch.bands,
                   .place = {.begin = record.begin, .bytes = record.bytes},
                   .text_bytes = record.text.size()},
                  source, left_out.get());
      ++done.documents;
    }
    ++done.files;
    done.cut_off_bytes += records.cut_off();
  }
  writing.merge_small(context, budget, temp);
  writing.commit();
  return done;
}

}  // namespace refrain::verbs::known
