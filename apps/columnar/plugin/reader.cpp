// SPDX-License-Identifier: Apache-2.0
#include "columnar/plugin/functions.hpp"
#include "columnar/plugin/streams.hpp"

#include <arrow/c/bridge.h>
#include <arrow/ipc/reader.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

using arrow::Status;

struct ballot_arrow_reader {
  virtual ~ballot_arrow_reader() = default;
  virtual std::shared_ptr<arrow::Schema> schema() const = 0;
  virtual Status choose(const std::vector<int>& columns) = 0;
  virtual Status next(std::shared_ptr<arrow::RecordBatch>& to) = 0;
  // Offsets and indices of a damaged file may point anywhere.
  virtual Status validate(const arrow::RecordBatch& batch) const { return batch.ValidateFull(); }
};

namespace ballot_arrow {
namespace {

constexpr std::string_view file_magic = "ARROW1";
constexpr std::int64_t behind_magic = 8;
constexpr char cut_short[] = "truncated: an Arrow file ends with ARROW1";

// The footer of a file lists its batches: they can be read without those before them, and columns
// alone.
class ipc_file final : public ballot_arrow_reader {
 public:
  static arrow::Result<std::unique_ptr<ballot_arrow_reader>> open(std::shared_ptr<source_file> file) {
    auto made = std::make_unique<ipc_file>();
    made->file_ = std::move(file);
    ARROW_RETURN_NOT_OK(made->choose({}));
    return std::unique_ptr<ballot_arrow_reader>(std::move(made));
  }
  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }
  Status choose(const std::vector<int>& columns) override {
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.included_fields = columns;
    reads_nothing_ = reader_ != nullptr && columns.empty();
    ARROW_ASSIGN_OR_RAISE(reader_, arrow::ipc::RecordBatchFileReader::Open(file_, options));
    return Status::OK();
  }
  Status next(std::shared_ptr<arrow::RecordBatch>& to) override {
    to = nullptr;
    if (at_ == reader_->num_record_batches()) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(to, reader_->ReadRecordBatch(at_++));
    return reads_nothing_ ? to->SelectColumns({}).Value(&to) : Status::OK();
  }

 private:
  std::shared_ptr<source_file> file_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  int at_ = 0;
  bool reads_nothing_ = false;
};

class ipc_stream final : public ballot_arrow_reader {
 public:
  // is_file: an Arrow file of a pipe, behind its first bytes.
  static arrow::Result<std::unique_ptr<ballot_arrow_reader>> open(std::shared_ptr<source_file> file, bool is_file) {
    auto made = std::make_unique<ipc_stream>();
    if (is_file) made->file_ = file;
    ARROW_ASSIGN_OR_RAISE(made->reader_, arrow::ipc::RecordBatchStreamReader::Open(std::move(file)));
    return std::unique_ptr<ballot_arrow_reader>(std::move(made));
  }
  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }
  Status choose(const std::vector<int>& columns) override {
    columns_ = columns;
    return Status::OK();
  }
  Status next(std::shared_ptr<arrow::RecordBatch>& to) override {
    ARROW_RETURN_NOT_OK(reader_->ReadNext(&to));
    if (!to && file_) return require_end();
    return to ? to->SelectColumns(columns_).Value(&to) : Status::OK();
  }

 private:
  // A stream may end behind any batch, a file may not.
  Status require_end() {
    std::string last;
    for (;;) {
      ARROW_ASSIGN_OR_RAISE(const auto part, file_->Read(std::int64_t{1} << 16));
      if (part->size() == 0) break;
      last += part->ToString();
      last.erase(0, last.size() - std::min(last.size(), file_magic.size()));
    }
    file_.reset();
    return last == file_magic ? Status::OK() : Status::Invalid(cut_short);
  }

  std::shared_ptr<source_file> file_;
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  std::vector<int> columns_;
};

class parquet_file final : public ballot_arrow_reader {
 public:
  static arrow::Result<std::unique_ptr<ballot_arrow_reader>> open(std::shared_ptr<source_file> file) {
    auto made = std::make_unique<parquet_file>();
    parquet::ArrowReaderProperties properties;
    properties.set_use_threads(true);
    properties.set_pre_buffer(false);  // which holds a row group as it is in the file, too
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(std::move(file)));
    builder.properties(properties);
    ARROW_ASSIGN_OR_RAISE(made->reader_, builder.Build());
    ARROW_RETURN_NOT_OK(made->reader_->GetSchema(&made->schema_));
    made->reader_->set_batch_size(rows_of_batch(*made->reader_->parquet_reader()->metadata()));
    made->rows_left_ = made->reader_->parquet_reader()->metadata()->num_rows();
    return std::unique_ptr<ballot_arrow_reader>(std::move(made));
  }
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  Status choose(const std::vector<int>& columns) override {
    std::vector<int> leaves;
    for (const int column : columns)
      add_leaves(reader_->manifest().schema_fields[static_cast<std::size_t>(column)], leaves);
    reads_nothing_ = columns.empty();
    if (reads_nothing_) return Status::OK();
    std::vector<int> groups(static_cast<std::size_t>(reader_->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    ARROW_ASSIGN_OR_RAISE(batches_, reader_->GetRecordBatchReader(groups, leaves));
    return Status::OK();
  }
  Status next(std::shared_ptr<arrow::RecordBatch>& to) override {
    if (!reads_nothing_) return batches_->ReadNext(&to);
    constexpr std::int64_t most = std::int64_t{1} << 16;
    const std::int64_t rows = std::min(rows_left_, most);
    rows_left_ -= rows;
    to = rows == 0 ? nullptr
                   : arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector{}), rows,
                                              std::vector<std::shared_ptr<arrow::Array>>{});
    return Status::OK();
  }
  // Offsets are made by the reader, of what it has checked.
  Status validate(const arrow::RecordBatch& batch) const override { return batch.Validate(); }

 private:
  // A batch is in memory beside the rows that are made of it: of long rows it has fewer.
  static std::int64_t rows_of_batch(const parquet::FileMetaData& file) {
    constexpr std::int64_t most_rows = std::int64_t{1} << 16, most_bytes = std::int64_t{32} << 20;
    std::int64_t longest_row = 1;
    for (int i = 0; i < file.num_row_groups(); ++i) {
      const auto group = file.RowGroup(i);
      const std::int64_t rows = std::max<std::int64_t>(1, group->num_rows());
      longest_row = std::max(longest_row, group->total_byte_size() / rows);
    }
    return std::clamp<std::int64_t>(most_bytes / longest_row, 64, most_rows);
  }
  static void add_leaves(const parquet::arrow::SchemaField& field, std::vector<int>& to) {
    if (field.column_index >= 0) to.push_back(field.column_index);
    for (const auto& child : field.children) add_leaves(child, to);
  }

  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::int64_t rows_left_ = 0;
  bool reads_nothing_ = false;
};

arrow::Result<std::unique_ptr<ballot_arrow_reader>> open_arrow(const ballot_arrow_source& from) {
  auto file = std::make_shared<source_file>(from);
  std::array<char, behind_magic> begin{};
  ARROW_ASSIGN_OR_RAISE(const std::int64_t got, file->Read(behind_magic, begin.data()));
  const std::string_view front(begin.data(), static_cast<std::size_t>(got));
  if (front.starts_with("FEA1"))
    return Status::Invalid("this is Feather of version 1, which is no Arrow file: write it again by a newer library");
  if (got == 0) return Status::Invalid("the file is empty");
  if (!front.starts_with(file_magic)) {
    file->put_back(front);
    return ipc_stream::open(std::move(file), false);
  }
  if (from.size < 0) return ipc_stream::open(std::move(file), true);
  ARROW_ASSIGN_OR_RAISE(const auto end, file->ReadAt(std::max(behind_magic, from.size - 6), 6));
  if (end->ToString() != file_magic) return Status::Invalid(cut_short);
  return ipc_file::open(std::move(file));
}

}  // namespace

ballot_arrow_reader* open(const ballot_arrow_source* from, bool is_parquet, ballot_arrow_error* error) noexcept {
  std::unique_ptr<ballot_arrow_reader> made;
  const bool is_open = guarded(error, [&] {
    return (is_parquet ? parquet_file::open(std::make_shared<source_file>(*from)) : open_arrow(*from)).Value(&made);
  });
  return is_open ? made.release() : nullptr;
}

bool schema(ballot_arrow_reader* reader, ArrowSchema* to, ballot_arrow_error* error) noexcept {
  return guarded(error, [&] { return arrow::ExportSchema(*reader->schema(), to); });
}

bool choose(ballot_arrow_reader* reader, const std::int32_t* columns, std::int32_t count,
            ballot_arrow_error* error) noexcept {
  return guarded(error, [&] { return reader->choose(std::vector<int>(columns, columns + count)); });
}

bool next(ballot_arrow_reader* reader, ArrowArray* to, ballot_arrow_error* error) noexcept {
  return guarded(error, [&] {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->next(batch));
    to->release = nullptr;
    if (!batch) return Status::OK();
    ARROW_RETURN_NOT_OK(reader->validate(*batch));
    return arrow::ExportRecordBatch(*batch, to);
  });
}

void close(ballot_arrow_reader* reader) noexcept { delete reader; }

}  // namespace ballot_arrow
