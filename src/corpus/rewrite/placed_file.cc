#include "corpus/rewrite/placed_file.h"

#include <functional>

namespace refrain::corpus {

void WrittenParts::add(std::string_view bytes) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  const std::less_equal<> before;
  const bool own =
      !before(raw_.data(), bytes.data()) || !before(bytes.data() + bytes.size(), raw_.data() + raw_.size());
  const std::size_t begin = own ? own_.size() : static_cast<std::size_t>(bytes.data() - raw_.data());
  if (own) own_.append(bytes);
  if (!parts_.empty() && parts_.back().own == own && parts_.back().begin + parts_.back().size == begin)
    parts_.back().size += bytes.size();
  else
    parts_.push_back({begin, bytes.size(), own});
}

}  // namespace refrain::corpus
