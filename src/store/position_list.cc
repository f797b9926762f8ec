#include "store/position_list.h"

#include <string>
#include <utility>

#include "refrain/error.h"
#include "store/varint.h"

namespace refrain::store {

void PositionList::spill() {
  if (!file_) file_.emplace(*temp_);
  std::string bytes;
  std::uint64_t before = 0;
  for (const std::uint64_t position : recent_) append_varint(bytes, position - std::exchange(before, position));
  frames_.push_back({file_->append(bytes), static_cast<std::uint32_t>(bytes.size())});
  recent_.clear();
}

void PositionList::fetch(const Frame& frame, std::vector<std::uint64_t>& positions) const {
  std::string bytes(frame.bytes, '\0');
  file_->read(frame.offset, bytes);
  positions.clear();
  const char* at = bytes.data();
  std::uint64_t position = 0;
  for (std::uint64_t gap = 0; at != bytes.data() + bytes.size(); positions.push_back(position += gap))
    if (!get_varint(at, bytes.data() + bytes.size(), gap))
      throw Error(Errc::corrupt,
                  "temporary files: positions differ from what was written; check the disk, and run again");
}

void PositionList::clear() {
  file_.reset();
  frames_.clear();
  recent_.clear();
  size_ = 0;
}

}  // namespace refrain::store
