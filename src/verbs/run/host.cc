#include "verbs/run/host.h"

#include "base/ascii.h"

namespace refrain::verbs::run {

std::string host_of(std::string_view id) {
  const std::size_t scheme = id.find("://");
  if (scheme == id.npos) return {};
  if (!same_word(id.substr(0, scheme), "http") && !same_word(id.substr(0, scheme), "https")) return {};
  id.remove_prefix(scheme + 3);
  id = id.substr(0, id.find_first_of("/?#\\"));
  if (const std::size_t at = id.rfind('@'); at != id.npos) id.remove_prefix(at + 1);
  // The colons inside [::1] do not separate a port.
  if (const std::size_t colon = id.rfind(':'); colon != id.npos && id.find(']', colon) == id.npos)
    id = id.substr(0, colon);
  std::string host(id);
  for (char& c : host) c = lower(c);
  return host.starts_with("www.") ? host.substr(4) : host;
}

}  // namespace refrain::verbs::run
