#include "refrain/seen.h"

#include "verbs/seen/answering.h"

namespace refrain {

struct Seen::State : verbs::seen::Answering {
  using Answering::Answering;
};

std::string_view seen_status_name(SeenStatus status) {
  switch (status) {
    case SeenStatus::exact:
      return "exact";
    case SeenStatus::near:
      return "near";
    case SeenStatus::fresh:
      break;
  }
  return "new";
}

Seen::Seen(const SeenOptions& options, const Context& context) : state_(std::make_unique<State>(options, context)) {}

Seen::~Seen() = default;

std::vector<SeenAnswer> Seen::seen(std::span<const SeenDocument> documents, const std::stop_token& stop) {
  return state_->seen(documents, stop);
}

SeenStats Seen::stats() const {
  return state_->stats();
}

}  // namespace refrain
