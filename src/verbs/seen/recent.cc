#include "verbs/seen/recent.h"

#include <bit>
#include <utility>

#include "base/hash.h"

namespace refrain::verbs::seen {

namespace {

constexpr const char* kRecentDocuments = "the documents that were added";
constexpr std::uint64_t kMostLogBytes = std::uint64_t{128} << 20;  // limits the work after a crash
constexpr std::uint64_t kNameBytes = 192;                          // approximate memory of an id and a source

std::size_t slots_for(std::uint64_t documents, unsigned keys) {
  return static_cast<std::size_t>(std::bit_ceil(2 * documents * keys));
}

unsigned keys_of(const library::Layout& layout) {
  return 1 + layout.bands;
}

}  // namespace

Recent::Recent(std::uint64_t most, const library::Layout& layout, MemoryBudget& budget,
               const std::filesystem::path& library, std::string log_name)
    : most_(most),
      log_(library, std::move(log_name)),
      memory_(budget.reserve(most * document_bytes(layout), kRecentDocuments)),
      slots_(budget, kRecentDocuments, slots_for(most, keys_of(layout))),
      places_(budget, kRecentDocuments) {
  places_.reserve_more(static_cast<std::size_t>(most) * keys_of(layout));
  documents_.reserve(static_cast<std::size_t>(most));
}

// Memory of a document, without its entries in the table.
std::uint64_t Recent::document_bytes(const library::Layout& layout) {
  constexpr std::uint64_t kAllocator = 64;  // overhead of small allocations
  return sizeof(RecentDocument) + layout.lanes + layout.bands * sizeof(std::uint32_t) + kNameBytes + kAllocator;
}

std::uint64_t Recent::memory_bytes(std::uint64_t documents, const library::Layout& layout) {
  return documents * document_bytes(layout) + slots_for(documents, keys_of(layout)) * sizeof(Slot) +
         documents * keys_of(layout) * sizeof(Place);
}

bool Recent::closed() const {
  return size() == most_ || name_bytes_ >= most_ * kNameBytes || log_.end() >= kMostLogBytes || log_.failed();
}

std::size_t Recent::slot_of(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(mix(key, 0xD6E8FEB86659FD93U, 0x9E3779B97F4A7C15U)) & mask;
  while (slots_[at].first != 0 && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

void Recent::add(std::unique_ptr<const RecentDocument> document, std::span<const std::uint64_t> keys) {
  const std::uint32_t number = size();
  name_bytes_ += document->id.size() + document->source.size();
  documents_.push_back(std::move(document));
  for (const std::uint64_t key : keys) {
    Slot& slot = slots_[slot_of(key)];
    places_.push_back({number, 0});
    const auto place = static_cast<std::uint32_t>(places_.size());
    if (slot.first == 0) {
      slot = {key, place, place};
    } else {
      places_[slot.last - 1].next = place;
      slot.last = place;
    }
  }
}

void Recent::find(std::uint64_t key, std::uint32_t first, std::size_t most, std::vector<std::uint32_t>& found) const {
  for (std::uint32_t at = slots_[slot_of(key)].first; at != 0 && most > 0; at = places_[at - 1].next, --most)
    if (places_[at - 1].document >= first) found.push_back(places_[at - 1].document);
}

}  // namespace refrain::verbs::seen
