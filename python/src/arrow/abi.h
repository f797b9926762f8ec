// The structs of the Arrow C data interface, laid out as its specification requires.
#pragma once

#include <cstdint>

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace refrain::python {

inline constexpr std::int64_t kArrowNullable = 2;  // a bit of ArrowSchema::flags

// Owns one of the three structs, and releases it on destruction.
template <class T>
struct Held {
  T it = {};

  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (it.release != nullptr) it.release(&it);
  }
  // Takes ownership of the contents of `from`.
  void take(T& from) {
    it = from;
    from.release = nullptr;
  }
};

}  // namespace refrain::python
