#include "verbs/dedup/state/compared_texts.h"

#include <algorithm>

namespace refrain::verbs::dedup {

ComparedTexts::ComparedTexts(DedupRun& run)
    : file_(run.texts()),
      texts_(file_, run.dir.work("text_ends")),
      templates_(run.templates()),
      known_(run.known_documents()) {}

std::uint64_t ComparedTexts::bytes(DocId document) {
  if (known(document)) return known_->text_bytes(document);
  const ByteRange range = texts_.range(document);
  return range.end - range.begin;
}

std::string_view ComparedTexts::get(DocId document, std::string& scratch) {
  if (!known(document)) return texts_.get(document, scratch);
  scratch = known_->text(document);
  return scratch;
}

std::string ComparedTexts::beginning(DocId document, std::uint64_t most) {
  if (known(document)) return known_->text(document, most);
  const ByteRange range = texts_.range(document);
  std::string text(static_cast<std::size_t>(std::min(range.end - range.begin, most)), '\0');
  file_->read(range.begin, text);
  return text;
}

const text::LeftOut* ComparedTexts::left_out(DocId document) const {
  return known(document) ? known_->left_out(document) : run::left_out_of(templates_, document);
}

MatchIds::MatchIds(DedupRun& run) : ids_(run.dir.work("ids"), run.dir.work("id_ends")), known_(run.known_documents()) {}

std::string_view MatchIds::get(DocId document) {
  if (known(document) == nullptr) return ids_.get(document, scratch_);
  return scratch_ = known_->id(document);
}

}  // namespace refrain::verbs::dedup
