// The memory of an HTML parser: drawn from the budget, limited, and gone all at once.
//
// The parser is C, asks for memory through a callback and never expects to be refused. So a refusal jumps out of it,
// to where it was called, and what it held is forgotten with everything else. Nothing has to be walked to free a tree,
// however deep.
#pragma once

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain {

// Not thread-safe.
class HtmlArena {
 public:
  explicit HtmlArena(MemoryBudget& budget) : budget_(budget) {}

  // Calls parse(), which may use allocate() and release(), and may be left by a jump: nothing in it may need a
  // destructor. False where it wanted more than `limit` bytes. `grow` is called with the bytes that are held before they
  // become more; what it throws, and the budget, is thrown here.
  bool run(std::uint64_t limit, const std::function<void(std::size_t)>& grow, void (*parse)(void*), void* argument);

  void* allocate(std::size_t bytes);
  void release(void* memory);
  // Ends run() with false.
  [[noreturn]] void refuse();

  // Forgets all that was allocated; the memory is kept for the next run.
  void clear();
  // Gives back all but a little.
  void shrink();

 private:
  static constexpr std::size_t kClasses = 64;
  struct Free {
    Free* next;
  };

  bool add_block(std::size_t bytes);

  MemoryBudget& budget_;
  std::vector<Array<char>> blocks_;
  std::size_t block_ = 0;  // from which memory is taken
  std::size_t used_ = 0;   // of it
  std::uint64_t held_ = 0;
  std::uint64_t limit_ = 0;
  const std::function<void(std::size_t)>* grow_ = nullptr;
  std::exception_ptr error_;
  std::array<Free*, kClasses> free_{};
  std::jmp_buf jump_{};
};

}  // namespace refrain
