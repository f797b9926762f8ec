// Reads documents from a stream, as reader.h reads them from files: in batches, on all cores, in stream order.
//
// The caller's columns are cut into pieces by their bytes, so that one column of a gigabyte and a thousand small ones are
// the same to the workers. Texts are not copied, unless some are left out.
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

// The options of a verb over `documents`, which must outlive it. Error(invalid_argument) where paths are named too, or an
// output that would never be written.
InputOptions over_stream(const InputOptions& options, DocumentStream& documents, const std::filesystem::path& output);

// As read_documents of reader.h, for options.documents. `tuning` must be complete. Goes back to the beginning where the
// stream can.
ReadReport read_stream(const InputOptions& options, const Context& context, MemoryBudget& budget, const BatchWork& work,
                       const ReaderTuning& tuning, const ReadPurpose& purpose);

// A copy, in temporary files, of a stream that cannot go back: rewindable. Keeps a reference to `temp`.
std::shared_ptr<DocumentStream> spooled(DocumentStream& stream, const Context& context, TempSpace& temp);

}  // namespace refrain::corpus
