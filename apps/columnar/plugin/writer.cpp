// SPDX-License-Identifier: Apache-2.0
#include "columnar/plugin/functions.hpp"
#include "columnar/plugin/streams.hpp"

#include <arrow/c/bridge.h>
#include <arrow/ipc/writer.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <memory>
#include <utility>

using arrow::Status;

struct ballot_arrow_writer {
  ballot_arrow_writer(const ballot_arrow_sink& to, std::shared_ptr<arrow::Schema> of)
      : file(std::make_shared<ballot_arrow::sink_file>(to)), schema(std::move(of)) {}

  std::shared_ptr<ballot_arrow::sink_file> file;
  std::shared_ptr<arrow::Schema> schema;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> batches;
  std::unique_ptr<parquet::arrow::FileWriter> parquet;
};

namespace ballot_arrow {
namespace {

constexpr std::int64_t most_rows = std::int64_t{1} << 20, most_bytes = std::int64_t{128} << 20;

// A row group is held until it is whole: of long rows it has fewer.
std::int64_t rows_of_group(const arrow::RecordBatch& first) {
  const std::int64_t bytes = arrow::util::TotalBufferSize(first);
  if (first.num_rows() == 0 || bytes == 0) return most_rows;
  const double row = static_cast<double>(bytes) / static_cast<double>(first.num_rows());
  return std::clamp(static_cast<std::int64_t>(static_cast<double>(most_bytes) / row), std::int64_t{1}, most_rows);
}

Status begin_parquet(ballot_arrow_writer& writer, std::int64_t rows) {
  parquet::WriterProperties::Builder properties;
  properties.max_row_group_length(rows);
  if (arrow::util::Codec::IsAvailable(arrow::Compression::SNAPPY)) properties.compression(arrow::Compression::SNAPPY);
  parquet::ArrowWriterProperties::Builder of_arrow;
  of_arrow.store_schema();
  ARROW_ASSIGN_OR_RAISE(writer.parquet,
                        parquet::arrow::FileWriter::Open(*writer.schema, arrow::default_memory_pool(), writer.file,
                                                         properties.build(), of_arrow.build()));
  return Status::OK();
}

}  // namespace

ballot_arrow_writer* create(const ballot_arrow_sink* to, ballot_arrow_format format, ArrowSchema* schema,
                            ballot_arrow_error* error) noexcept {
  std::unique_ptr<ballot_arrow_writer> made;
  const bool is_made = guarded(error, [&] {
    ARROW_ASSIGN_OR_RAISE(auto imported, arrow::ImportSchema(schema));
    made = std::make_unique<ballot_arrow_writer>(*to, std::move(imported));
    if (format == ballot_arrow_file) return arrow::ipc::MakeFileWriter(made->file, made->schema).Value(&made->batches);
    if (format == ballot_arrow_stream)
      return arrow::ipc::MakeStreamWriter(made->file, made->schema).Value(&made->batches);
    return Status::OK();  // Parquet begins with the first batch
  });
  return is_made ? made.release() : nullptr;
}

bool write(ballot_arrow_writer* writer, ArrowArray* array, ballot_arrow_error* error) noexcept {
  return guarded(error, [&] {
    ARROW_ASSIGN_OR_RAISE(const auto batch, arrow::ImportRecordBatch(array, writer->schema));
    if (writer->batches) return writer->batches->WriteRecordBatch(*batch);
    if (!writer->parquet) ARROW_RETURN_NOT_OK(begin_parquet(*writer, rows_of_group(*batch)));
    return writer->parquet->WriteRecordBatch(*batch);
  });
}

bool finish(ballot_arrow_writer* writer, ballot_arrow_error* error) noexcept {
  return guarded(error, [&] {
    if (writer->batches) return writer->batches->Close();
    if (!writer->parquet) ARROW_RETURN_NOT_OK(begin_parquet(*writer, most_rows));
    return writer->parquet->Close();
  });
}

// Destructors of writers may write what they hold; by then nobody wants it.
void abandon(ballot_arrow_writer* writer) noexcept {
  ballot_arrow_error ignored{};
  guarded(&ignored, [&] {
    delete writer;
    return Status::OK();
  });
}

}  // namespace ballot_arrow
