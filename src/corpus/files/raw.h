// The bytes of the input that a batch was read from, for those who write the input again (corpus/rewrite/rewrite.h).
//
// The raw batches of a file follow each other without a gap: put end to end they are the file, unpacked, with its byte
// order mark, header, blank lines and bad records.
#pragma once

#include <span>
#include <string_view>

#include "corpus/files/decompress.h"
#include "corpus/files/walk.h"

namespace refrain::corpus {

struct RawFile {
  const Input* input = nullptr;  // null where there is no such file, or it cannot be opened
  Packing packing = Packing::none;
  bool converted = false;  // its text, or its records, are not its bytes
};

// Whether what it holds can be read again by its place in the file.
inline bool has_places(const RawFile& file) {
  return file.input != nullptr && file.packing == Packing::none && file.input->path != "-" &&
         file.input->source.empty() && !file.converted && file.input->format != Format::json &&
         (file.input->format != Format::csv || file.input->delimiter == ',') && file.input->size > 0;
}

// Valid as long as the batch. A batch without records may have bytes, and is handed out too.
struct RawBatch {
  // Whole files: one a record, and nothing else; their texts are their bytes, unless they were converted. Empty for a part of a file of records.
  std::span<const RawFile> files;

  // A part of a file of records.
  RawFile file;
  bool first = false;  // of the file
  bool last = false;
  bool unread = false;         // it is no table, and none of its bytes are here
  bool last_of_group = false;  // of a row group of Parquet, of which there are no bytes
  std::string_view bytes;
  bool part_of_record = false;  // of a single one that is too long, and a bad record
  // Each record, inside `bytes`, with the line break that ends it. Null for a bad one.
  std::span<const std::string_view> records;
  // What stands for the text of each record, inside `bytes`: of a line all but its line break, of JSON what is between
  // the quotes, of a table the field with its quotes. Null for a bad record, and where the text is not there as it is:
  // in a web archive, a mailbox, and in Parquet.
  std::span<const std::string_view> texts;
};

}  // namespace refrain::corpus
