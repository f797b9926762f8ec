// names.bin: the origins, files and sources of a segment, found by number (format.h).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engines/library/layout.h"
#include "store/page_file.h"
#include "store/segments/numbers.h"

namespace refrain::library {

enum NameKind : std::size_t { kOrigins, kFiles, kSources, kNameKinds };

// Not thread-safe.
class NamesWriter {
 public:
  NamesWriter(const std::filesystem::path& folder, TempSpace& temp);

  // These return the number of the new row among those of its kind.
  std::uint32_t add(const Origin& origin);
  std::uint32_t add(const TextFile& file);
  std::uint32_t add(const Source& source);
  store::PageFileId finish();

 private:
  std::uint32_t add_row(NameKind kind);

  store::PageWriter out_;
  std::array<store::NumbersWriter, kNameKinds> places_;
  std::string row_;
};

// Not thread-safe; each thread needs a copy of its own.
class NamesReader {
 public:
  NamesReader(const std::filesystem::path& folder, const store::PageFileId& id);
  NamesReader(const NamesReader& other) = default;

  std::uint64_t count(NameKind kind) const { return counts_[kind]; }
  // These throw Error(corrupt) if there is no row with that number.
  void get(std::uint32_t number, Origin& out);
  void get(std::uint32_t number, TextFile& out);
  void get(std::uint32_t number, Source& out);
  // Reads only the name of a source.
  void get_name(std::uint32_t number, std::string& out);
  std::uint64_t bytes_read() const { return file_.bytes_read() + places_.bytes_read(); }
  store::PageReader& file() { return file_; }

 private:
  // Returns where the row of that number begins.
  std::uint64_t find(NameKind kind, std::uint32_t number);
  std::uint64_t read_number(std::uint64_t& at);
  void read_text(std::uint64_t& at, std::string& out);

  store::PageReader file_;
  std::array<std::uint64_t, kNameKinds> counts_;
  std::uint64_t table_;
  store::NumbersReader places_;  // for all three kinds
};

}  // namespace refrain::library
