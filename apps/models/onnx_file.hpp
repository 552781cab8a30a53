// OnnxFile: an ONNX file with the files beside it in which its tensors lie, mapped.
#pragma once

#include <string>
#include <vector>

#include "apps/models/file_hashes.hpp"
#include "apps/models/open_sizes.hpp"
#include "devices/weights/mapped_file.hpp"

namespace shingle {

// What is said about an ONNX file beside its path.
struct OnnxOptions {
  InputShapes shapes{};        // where it leaves sizes open
  int64_t constant_bytes = 0;  // that it may compute; 0: half of this machine's memory
  SizeAdvice advice{};         // for the sentence that refuses a file with open sizes; or none
};

// Half of what the node may hold, or of what the machine has.
int64_t usual_constant_bytes(int64_t memory_cap = 0);

class OnnxFile {
 public:
  // The sentence names the file and what is wrong with it. What is no ONNX file opens too: read()
  // says what it is.
  static Result<OnnxFile> open(const std::string& path);

  // The hash of all files' bytes.
  ModelHash name(FileHashes& hashes) const;
  // What was read of the files counts if nobody was at them meanwhile.
  Status was_steady() const;

  // The model, named by name() and its sizes. The sentence names the file; where that is no model
  // it says what it is and what to do, and where sizes are open which to try.
  Result<Model> read(const OnnxOptions& options, FileHashes& hashes) const;

  MappedFile file;
  std::vector<MappedFile> external;

 private:
  OnnxFile(std::string path, MappedFile mapped) : file(std::move(mapped)), path_(std::move(path)) {}
  Status open_external();
  Result<Model> read(const OnnxOptions& options) const;  // named by nothing
  std::string why_not(const OnnxOptions& options, const std::string& reason) const;

  std::string path_;
  std::vector<std::string> locations_;  // of `external`
};

}  // namespace shingle
