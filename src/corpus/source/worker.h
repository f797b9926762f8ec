// A worker of the reader: claims a piece, decodes it, passes the batch to the caller's work, and hands in the result.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/progress.h"
#include "corpus/files/decompress.h"
#include "corpus/files/raw.h"
#include "corpus/files/records.h"
#include "corpus/formats/batch_builder.h"
#include "corpus/formats/page_text.h"
#include "corpus/formats/recognize.h"
#include "corpus/formats/record_parser.h"
#include "corpus/markup/mail.h"
#include "corpus/markup/troff.h"
#include "corpus/source/ledger.h"
#include "corpus/source/reader.h"
#include "corpus/source/schedule.h"
#include "refrain/context.h"
#include "refrain/error.h"
#include "refrain/input.h"

namespace refrain::corpus {

// The workers of one run share this.
struct Reading {
  const SourceOptions& options;
  const Context& context;
  MemoryBudget& budget;
  const BatchWork& work;
  const ReaderTuning& tuning;
  Schedule& schedule;
  Progress& progress;
  std::mutex& large;  // see LargeTurn
  const ReadPurpose& purpose;
  SkippedFiles& skipped;
};

// Its buffers are created by the constructor and reused from piece to piece.
class Worker {
 public:
  Worker(unsigned number, const Reading& reading);

  // Works until there is nothing left to claim.
  void run();

 private:
  PieceResult read(const Task& task);
  void read_records(const Task& task, PieceResult& result);
  void read_rows(const Task& task, PieceResult& result);
  bool open(Slot& slot, PieceResult& result);
  void probe(const Input& input);
  void skip_input(const Input& input, PieceResult& result);
  void note_unreadable(const Input& input, const std::string& reason, PieceResult& result);
  void note_unusable(const Input& input, const Error& error);
  void parse(const Slot& slot, PieceResult& result);
  RecordParser& parser_of(const InputFormat& format);
  void shrink_parsers();
  void read_files(const Slot& slot, PieceResult& result);
  bool attempt(const Input& input, PieceResult& result, const std::function<void()>& action);
  void read_file(const Input& input, PieceResult& result);
  std::optional<std::string_view> convert(std::string_view bytes, const Recognized& recognized, PieceResult& result);
  void add_file(const Input& input, std::size_t size, const Recognized& recognized, PieceResult& result);
  void finish(PieceResult& result);
  void hand_over(PieceResult& result, std::size_t keep = 0);
  void hand_over_records(PieceResult& result, bool end_of_piece);
  void note_too_long(const Slot& slot, std::uint64_t begin, PieceResult& result);
  void await_turn();

  const unsigned number_;
  const Reading& reading_;
  LargeTurn turn_;
  BatchPlace place_;  // of the next batch
  RawPiece piece_;
  BatchBuilder builder_;
  std::map<const InputFormat*, std::unique_ptr<RecordParser>> parsers_;  // of the formats that were met
  PageText page_;
  MailText mail_;
  TroffText troff_;
  ByteStream file_;

  const Task* task_ = nullptr;  // the current task
  bool converted_ = false;      // whether the file that was added last was converted
  RawBatch raw_;
  std::vector<RawFile> raw_files_;
  std::size_t raw_begin_ = 0;  // the end of the last batch in the piece
};

}  // namespace refrain::corpus
