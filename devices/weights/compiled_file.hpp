// CompiledFile: a model made ready for one machine and one plan, in one file.
//
//   "SHINGLE-COMPILED" | bytes of the index | SHA-256 of the index | index | sections, page by page
//
// Sections: the model's files without the weights that are packed, the plan, the memory plan, and
// packed weights under the names that PackedStore gives them. The index is text and says where each
// section lies; docs/use/compiled.md has the format. The file is not trusted: everything is checked
// before it is used, packed weights when they are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/weights/mapped_file.hpp"
#include "partition/base/hash.hpp"
#include "partition/base/result.hpp"

namespace shingle {

// The contents of a file. The writer, or the mapping, owns the bytes.
struct CompiledContents {
  struct Kept {  // a part of one of the model's files
    size_t file = 0;
    int64_t begin = 0;
    std::span<const std::byte> bytes;
  };
  struct Packed {
    Hash name;
    std::span<const std::byte> bytes;
    uint64_t sum = 0;  // set by the reader
  };

  ModelHash model;      // of the model's files
  PlanHash plan;        // of the plan in plan_text
  std::string kernels;  // the layout of the packed weights: packed_layout()
  // Sizes of the .cfg and its .weights; or of the ONNX file, 0, and the files beside it.
  std::vector<int64_t> file_bytes;
  std::vector<Kept> kept;  // ascending, disjoint
  std::string plan_text, memory_text;
  std::vector<Packed> packed;
};

// Replaces the file. The error names the file and the system's reason.
Status write_compiled(const std::string& path, const CompiledContents& contents);

class CompiledFile {
 public:
  // Does the file begin like a compiled file? False if it cannot be read.
  static bool is_one(const std::string& path);

  // Maps the file and checks everything except the packed weights. The error names the file and
  // what is wrong with it.
  static Result<std::shared_ptr<const CompiledFile>> open(const std::string& path);

  const std::string& path() const { return path_; }
  const CompiledContents& contents() const { return contents_; }
  // All spans of the contents point into this file. They are valid as long as its version does not
  // change.
  const MappedFile& file() const { return file_; }

  // None if the file has no weights of that name, or if they are damaged.
  std::optional<std::span<const std::byte>> packed(const Hash& name) const;

  // "'FILE' was compiled for plan ... of model ...": the beginning of errors about it.
  std::string what() const;

 private:
  CompiledFile(std::string path, MappedFile file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  MappedFile file_;
  CompiledContents contents_;
};

using CompiledFiles = std::vector<std::shared_ptr<const CompiledFile>>;

// A sum that shows whether a disk error or a crash damaged the bytes. It is no protection against
// an attacker. It reads every word once, which also loads the pages of a mapped file in order.
uint64_t word_sum(std::span<const std::byte> bytes);

}  // namespace shingle
