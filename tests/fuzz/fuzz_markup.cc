// Reads arbitrary bytes as e-mail and as a manual page: each gives a text, the same each time, not much longer than
// the input.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "corpus/formats/recognize.h"
#include "corpus/markup/mail.h"
#include "corpus/markup/mime.h"
#include "corpus/markup/troff.h"
#include "require.h"

namespace {

using namespace refrain;

// A byte may become a character of three bytes. Names of attachments and defined strings are added.
constexpr std::size_t kTimes = 8;
constexpr std::size_t kMore = std::size_t{128} << 10U;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Context context = [] {
    Context made;
    made.memory_bytes = std::uint64_t{512} << 20U;
    return made;
  }();
  static MemoryBudget budget(context);
  static corpus::MailText mail(budget);
  static corpus::TroffText troff(budget);
  const auto grow = [](std::size_t) {};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);

  const std::string message(mail.read(bytes, grow));
  REQUIRE(message.size() <= kTimes * bytes.size() * sizeof(char32_t) + kMore);
  REQUIRE(mail.read(bytes, grow) == message);
  const std::string page(troff.read(bytes, grow));
  REQUIRE(page.size() <= kTimes * bytes.size() + kMore);
  REQUIRE(troff.read(bytes, grow) == page);

  corpus::recognize(bytes.substr(0, corpus::kBinaryBytes), size % 2 == 0 ? "a.1" : "a");
  corpus::begins_mailbox(bytes);
  corpus::charset_of_file(bytes);
  const corpus::MailHalves halves = corpus::split_mail(bytes);
  REQUIRE(halves.headers.size() + halves.body.size() <= bytes.size());
  mail.shrink();
  troff.shrink();
  return 0;
}
