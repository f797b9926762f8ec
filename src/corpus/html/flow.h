// The text of a page in the making: runs of text, with the white space between them that their elements call for.
//
// Text that stands in a table, but in no cell of it, belongs before the table. So places can be kept, to which the flow
// returns later. While there are any, what is written waits, in pieces that are put in order in the end. After a
// million pieces the order is no longer worth the memory: what comes then stays where it is.
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

  // The text of the next page goes into `text`; both are used until end(). `grow` is called before more memory is
  // taken, with how much it will be.
  void begin(Array<char>& text, const std::function<void(std::size_t)>& grow);
  // Calls `grow` although nothing grows.
  void poll() const { (*grow_)(granted_); }

  // What comes next stands in a line of its own.
  void line();
  // What comes next does not touch what came before.
  void space();

  struct Manner {
    bool references = true;    // are what they stand for
    bool as_it_is = false;     // also its white space
    bool keeps_zeros = false;  // as U+FFFD
  };
  // Bytes that are not UTF-8, and what HTML does not allow, become U+FFFD.
  void text(std::string_view run, const Manner& manner);

  // Keeps the place where the flow is, until all places are forgotten.
  using Place = std::uint32_t;
  Place keep_place();
  void forget_places();
  // What is written next goes to `place`, until back() is called with what this returns.
  Place go_to(Place place);
  // Moves `place` to behind what was written there.
  void back(Place& place, Place behind);

  void end();

  // Gives back what a large page took.
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
  Array<Piece> pieces_;  // of what waits, each up to where the next begins; empty where nothing does
  Place piece_ = 0;      // that is being written
};

}  // namespace refrain::html
