// Reads documents from a stream, as reader.h reads them from files: in batches, on all cores, in stream order.
//
// The caller's columns are cut into pieces by bytes, so that one column of a gigabyte and a thousand small ones are
// equally parallel. Texts are not copied, unless bad records have to be removed from them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "corpus/source/reader.h"
#include "corpus/source/tuning.h"
#include "refrain/context.h"
#include "refrain/documents.h"
#include "refrain/input.h"

namespace refrain::corpus {

// The options of a verb over `documents`, which must outlive the result. Throws Error(invalid_argument) if paths are
// named as well, or if an output is named, because none is written.
InputOptions over_stream(const InputOptions& options, DocumentStream& documents, const std::filesystem::path& output);

// Like read_documents of reader.h, for options.documents. `tuning` must be complete. Rewinds the stream first if
// possible.
ReadReport read_stream(const InputOptions& options, const Context& context, MemoryBudget& budget, const BatchWork& work,
                       const ReaderTuning& tuning, const ReadPurpose& purpose);

// A rewindable copy, in temporary files, of a stream that cannot be rewound. Keeps a reference to `temp`.
std::shared_ptr<DocumentStream> spooled(DocumentStream& stream, const Context& context, TempSpace& temp);

}  // namespace refrain::corpus
