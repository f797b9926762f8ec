// Assembles the text of a page: runs of text, with the white space between them that their elements require.
//
// Text that is in a table but not in one of its cells belongs before the table. So the current place in the flow can
// be kept, and the flow can return to it later. While places are kept, text is held back in pieces, which are put in
// order at the end. After a million pieces the order is not worth the memory, and further text stays where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::html {

// Its memory is reused from page to page. Not thread-safe.
class Flow {
 public:
  explicit Flow(MemoryBudget& budget) : waiting_(budget, "the text of a page"), pieces_(budget, "the text of a page") {}

  // Starts the next page, whose text goes into `text`. Both references are used until end(). `grow` is called with
  // the new size before more memory is allocated.
  void begin(Array<char>& text, const std::function<void(std::size_t)>& grow);
  // Calls `grow` although nothing grows.
  void poll() const { (*grow_)(granted_); }

  // The following text starts on a new line.
  void line();
  // The following text is separated from the preceding text by white space.
  void space();

  struct TextMode {
    bool references = true;          // are decoded
    bool keeps_white_space = false;  // white space is kept, too
    bool keeps_zeros = false;        // as U+FFFD
  };
  // Appends text. Bytes that are not UTF-8, and characters that HTML does not allow, become U+FFFD.
  void text(std::string_view run, const TextMode& manner);

  // Keeps the current place of the flow, until all places are forgotten.
  using Place = std::uint32_t;
  Place keep_place();
  void forget_places();
  // The following text goes to `place`, until back() is called with the result of this call.
  Place go_to(Place place);
  // Ends go_to(), and moves `place` to the end of the text that was written there.
  void back(Place& place, Place behind);

  void end();

  // Releases the memory of a large page.
  void shrink();

 private:
  enum class Pending { none, space, line };
  struct Piece {
    std::size_t begin;
    Place next;
  };

  void need(std::size_t more);
  void put(std::string_view bytes);
  void write(std::string_view bytes);
  void write_pending();
  Place insert_piece(Place before);

  Array<char>* text_ = nullptr;
  const std::function<void(std::size_t)>* grow_ = nullptr;
  std::size_t granted_ = 0;
  Pending pending_ = Pending::none;
  Array<char> waiting_;
  Array<Piece> pieces_;  // of the waiting text, each up to the beginning of the next; empty if no text waits
  Place piece_ = 0;      // the piece that is being written
};

}  // namespace refrain::html
