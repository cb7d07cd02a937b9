// SPDX-License-Identifier: Apache-2.0
// The formats of columns, and how the format of a file is found.
#pragma once

#include <ballot/core/namespace.hpp>
#include "columns/stream.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

enum class format { raw, npy, text };

inline constexpr std::string_view format_names = "raw, npy, text";
inline constexpr std::string_view every_format_name =
    "raw, npy, text, csv, tsv, jsonl, lines, records, sosd, arrow, parquet";  // with tables'

std::string_view name_of(format f);
std::optional<format> format_named(std::string_view name);
std::optional<format> format_of_extension(std::string_view path);  // .npy, .txt, .raw, .bin, and .gz or .zst behind it

// Throws usage_error where the extension of `output` names another format.
void require_extension(const std::string& output, format written);

// Opens the column in a file. Without `type` (--dtype), an .npy file has its own, text is i64, and
// raw is an error.
std::unique_ptr<source> open_source(const std::string& path, format f, std::optional<dtype> type);

// The same of several files, one behind the other.
std::unique_ptr<source> open_sources(const std::vector<std::string>& paths, format f, std::optional<dtype> type);

// Opens flags, one byte per item: .npy with u1 or b1; other files are raw.
std::unique_ptr<source> open_flags(const std::string& path);

std::unique_ptr<sink> make_sink(output_file& file, format f, dtype type);

}  // namespace ballot::app
