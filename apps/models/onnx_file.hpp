// OnnxFile: a mapped ONNX file with the files beside it that hold some of its tensors.
#pragma once

#include <string>
#include <vector>

#include "apps/models/file_hashes.hpp"
#include "apps/models/open_sizes.hpp"
#include "devices/weights/mapped_file.hpp"

namespace shingle {

// How to read an ONNX file.
struct OnnxOptions {
  InputShapes shapes{};        // for a file that leaves sizes open
  int64_t constant_bytes = 0;  // for constants that it computes; 0: half of this machine's memory
  int64_t opset = 0;           // reads the file as of this opset; 0: the one that it names
  SizeAdvice advice{};  // completes the sentence that refuses a file with open sizes; or none
};

// Half of the node's memory cap, or of the machine's memory if there is no cap.
int64_t usual_constant_bytes(int64_t memory_cap = 0);

class OnnxFile {
 public:
  // The sentence names the file and what is wrong with it. A file of another format opens too:
  // read() then says what it is.
  static Result<OnnxFile> open(const std::string& path);

  // The hash of all files' bytes: the model's name if it is read as of its own opset.
  ModelHash name(FileHashes& hashes) const;
  // An error if somebody wrote to the files while they were read.
  Status was_steady() const;

  // The model, named by name() and its sizes. The sentence names the file. For a file that is no
  // model it says what the file is and what to do; for open sizes, which ones to try.
  Result<Model> read(const OnnxOptions& options, FileHashes& hashes) const;

  // The operators for which read() refuses it; what the file says of its export.
  std::vector<OnnxUnread> unread(const OnnxOptions& options) const;
  OnnxExport exported() const;

  MappedFile file;
  std::vector<MappedFile> external;

 private:
  OnnxFile(std::string path, MappedFile mapped) : file(std::move(mapped)), path_(std::move(path)) {}
  Status open_external();
  Result<Model> read(const OnnxOptions& options) const;  // the model has no name yet
  // Calls reader(bytes, limits, request) with what the options say.
  template <class Reader>
  auto read_by(Reader reader, const OnnxOptions& options) const;
  std::string why_not(const OnnxOptions& options, const std::string& reason) const;

  std::string path_;
  std::vector<std::string> locations_;  // of `external`
};

}  // namespace shingle
