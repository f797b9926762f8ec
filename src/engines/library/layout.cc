#include "engines/library/layout.h"

#include "base/checksum.h"
#include "base/mix.h"

namespace refrain::library {

std::uint64_t digest_key(const Digest& digest) {
  return digest.high;
}

std::uint64_t band_key(unsigned band, std::uint32_t key, std::span<const std::uint8_t> lanes) {
  const std::uint64_t hash = checksum({reinterpret_cast<const char*>(lanes.data()), lanes.size()});
  return mix(hash ^ (std::uint64_t{band} << 32U | key), 0xD6E8FEB86659FD93U, 0x9E3779B97F4A7C15U);
}

void append_keys(const Layout& layout, const Digest& digest, std::span<const std::uint8_t> signature,
                 std::span<const std::uint32_t> bands, std::vector<std::uint64_t>& keys) {
  keys.push_back(digest_key(digest));
  for (unsigned band = 0; band < bands.size(); ++band)
    keys.push_back(band_key(band, bands[band], signature.subspan(std::size_t{band} * layout.rows, layout.rows)));
}

}  // namespace refrain::library
