#include "faces/server/wire/access.h"

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "refrain/error.h"

namespace refrain::server {

namespace {

namespace ip = boost::asio::ip;

bool is_loopback(const ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); ++at) {
    if (lower(a[at]) != lower(b[at])) return false;
  }
  return true;
}

// The parts of "host:port" or "[host]:port". The port may be missing.
struct HostPort {
  std::string_view host;
  std::string_view port;
  bool has_port = false;
};
HostPort split(std::string_view text) {
  HostPort out;
  std::size_t colon = std::string_view::npos;
  if (text.starts_with('[')) {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return out;
    out.host = text.substr(1, bracket - 1);
    if (bracket + 1 < text.size()) colon = bracket + 1;
    if (colon != std::string_view::npos && text[colon] != ':') return {};
  } else {
    colon = text.find(':');
    out.host = text.substr(0, colon);
  }
  if (colon != std::string_view::npos) {
    out.port = text.substr(colon + 1);
    out.has_port = true;
  }
  return out;
}

// Whether an Origin header has the host and port of a Host header. Either may omit the default port of the origin's
// scheme. The origin "null" matches nothing.
bool is_origin_of(std::string_view origin, std::string_view host) {
  const bool tls = origin.starts_with("https://");
  if (!tls && !origin.starts_with("http://")) return false;
  const std::string_view usual_port = tls ? "443" : "80";
  const auto port_of = [&](const HostPort& parts) { return parts.has_port ? parts.port : usual_port; };
  const HostPort from = split(origin.substr(origin.find("//") + 2));
  const HostPort own = split(host);
  return !from.host.empty() && equals_ignoring_case(from.host, own.host) && port_of(from) == port_of(own);
}

}  // namespace

ListenAddress parse_listen(std::string_view listen) {
  const HostPort parts = split(listen);
  ListenAddress out;
  const auto [end, error] = std::from_chars(parts.port.data(), parts.port.data() + parts.port.size(), out.port);
  if (parts.host.empty() || parts.port.empty() || error != std::errc() || end != parts.port.data() + parts.port.size())
    throw Error(Errc::invalid_argument,
                fmt::format("{}: not a listen address; use HOST:PORT, e.g. 127.0.0.1:7878 or [::1]:7878", listen));
  out.host = equals_ignoring_case(parts.host, "localhost") ? "127.0.0.1" : std::string(parts.host);
  boost::system::error_code code;
  const ip::address address = ip::make_address(out.host, code);
  if (code)
    throw Error(Errc::invalid_argument,
                fmt::format("{}: the host must be an address of this machine, or localhost", listen));
  out.loopback = is_loopback(address);
  return out;
}

bool same_token(std::string_view given, std::string_view token) {
  if (token.empty()) return false;
  // The time depends only on the length of `given`, so it reveals nothing about the token.
  volatile unsigned different = given.size() == token.size() ? 0 : 1;
  for (std::size_t at = 0; at < given.size(); ++at) {
    const unsigned bits = static_cast<unsigned char>(given[at]) ^ static_cast<unsigned char>(token[at % token.size()]);
    different = different | bits;
  }
  return different == 0;
}

std::string_view bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() < kScheme.size()) return {};
  if (!equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  authorization.remove_prefix(kScheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  while (authorization.ends_with(' ')) authorization.remove_suffix(1);
  return authorization;
}

bool is_local_host(std::string_view host) {
  const std::string_view name = split(host).host;
  if (equals_ignoring_case(name, "localhost")) return true;
  boost::system::error_code code;
  const ip::address address = ip::make_address(std::string(name), code);
  return !code && is_loopback(address);
}

bool is_cross_site(std::string_view sec_fetch_site, std::string_view origin, std::string_view host) {
  // "same-site" means another port of this machine or another name in the same domain, so the page may be anyone's.
  if (!sec_fetch_site.empty() && sec_fetch_site != "same-origin" && sec_fetch_site != "none") return true;
  return !origin.empty() && !is_origin_of(origin, host);
}

}  // namespace refrain::server
