// CompiledFile: a model made ready for one machine and one plan, in one file.
//
//   "SHINGLE-COMPILED" | bytes of the index | SHA-256 of the index | index | sections, page by page
//
// Sections are the model's files without the weights that are packed, the plan, the memory plan,
// and packed weights under the names that PackedStore gives them. The index says in lines of text
// what lies where; docs/use/compiled.md has the format. The file comes from anywhere: nothing in it
// is believed before it is checked, packed weights when they are asked for.
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

// What a file is made of. Bytes are the writer's or the mapping's.
struct CompiledContents {
  struct Kept {  // of one of the model's files
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
  PlanHash plan;        // of the plan that plan_text says
  std::string kernels;  // that the weights are packed for: packed_layout()
  // Of the .cfg and its .weights; or of the ONNX file, 0, and of the files beside it.
  std::vector<int64_t> file_bytes;
  std::vector<Kept> kept;  // ascending, disjoint
  std::string plan_text, memory_text;
  std::vector<Packed> packed;
};

// Replaces the file. The sentence names it and the system's reason.
Status write_compiled(const std::string& path, const CompiledContents& contents);

class CompiledFile {
 public:
  // Does the file begin as a compiled one does? No where it cannot be read.
  static bool is_one(const std::string& path);

  // Maps and checks all but the packed weights. The sentence names the file and what is wrong.
  static Result<std::shared_ptr<const CompiledFile>> open(const std::string& path);

  const std::string& path() const { return path_; }
  const CompiledContents& contents() const { return contents_; }
  // That all spans of the contents look into: they count while its version says so.
  const MappedFile& file() const { return file_; }

  // None where the file has none of that name, or they are damaged.
  std::optional<std::span<const std::byte>> packed(const Hash& name) const;

  // "'FILE' was compiled for plan ... of model ...": how sentences about it begin.
  std::string what() const;

 private:
  CompiledFile(std::string path, MappedFile file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  MappedFile file_;
  CompiledContents contents_;
};

using CompiledFiles = std::vector<std::shared_ptr<const CompiledFile>>;

// Notices what a disk or a crash left in pieces; against malice it is no guard. Reading every word
// once also brings a mapped file's pages in, in order.
uint64_t word_sum(std::span<const std::byte> bytes);

}  // namespace shingle
