// The bytes of the input that a batch was read from, for callers that write the input again (corpus/rewrite/rewrite.h).
//
// The raw batches of a file follow each other without gaps: concatenated, they are the unpacked file, with its byte
// order mark, header, blank lines and bad records.
#pragma once

#include <span>
#include <string_view>

#include "corpus/files/decompress.h"
#include "corpus/files/walk.h"

namespace refrain::corpus {

struct RawFile {
  const Input* input = nullptr;  // null if there is no such file, or it cannot be opened
  Packing packing = Packing::none;
  bool converted = false;  // the texts, or the records, differ from the bytes of the file
};

// Whether texts of the file can be read again by their offsets in it.
inline bool has_places(const RawFile& file) {
  return file.input != nullptr && file.packing == Packing::none && file.input->path != "-" &&
         file.input->source.empty() && !file.converted && file.input->format->is_literal() &&
         file.input->delimiter == file.input->format->delimiter && file.input->size > 0;
}

// Valid as long as the batch. A batch without records may have bytes, and is passed on too.
struct RawBatch {
  // For whole files: one per record. Their texts are their bytes, unless they were converted, and all other members
  // are unused. Empty for a part of a file of records.
  std::span<const RawFile> files;

  // For a part of a file of records: that file.
  RawFile file;
  bool first = false;  // the first batch of the file
  bool last = false;
  bool last_of_group = false;  // the last batch of a Parquet row group, for which `bytes` is empty
  std::string_view bytes;
  bool part_of_record = false;  // part of a single record that is too long, which is a bad record
  // Each record inside `bytes`, with the line break that ends it. Null for a bad record.
  std::span<const std::string_view> records;
  // The stored form of each record's text, inside `bytes`: for a line everything but its line break, for JSON the
  // part between the quotes, for a table the field with its quotes. Null for a bad record, and if the text is not
  // stored literally: in a web archive, a mailbox, or Parquet.
  std::span<const std::string_view> texts;
};

}  // namespace refrain::corpus
