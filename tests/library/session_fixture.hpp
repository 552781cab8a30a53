// What the tests of the library share: a small model, sessions on local workers, tensors, and what
// one machine computes. The library is the shared one; expectations come from the rooms themselves.
#pragma once

#include <doctest/doctest.h>
#include <shingle/shingle.h>

#include <map>
#include <string>
#include <vector>

#include "partition/model/model.hpp"
#include "tests/apps/scratch_folder.hpp"

namespace shingle::testing {

// The programs of this build that lie beside `shingle`.
std::string node_program();

// Writes an ONNX file of a small network with an input of 1 x 3 x 32 x 32.
std::string tiny_model(const ScratchFolder& folder);
std::string text_of(const std::string& path);  // of a file

using OptionTexts = std::map<std::string, std::string>;

// Options with these values; the program of local workers is this build's. Freed with the object.
struct TestOptions {
  explicit TestOptions(const OptionTexts& texts = {});
  ~TestOptions() { shingle_options_free(handle); }
  TestOptions(const TestOptions&) = delete;
  TestOptions& operator=(const TestOptions&) = delete;
  shingle_options* handle = nullptr;
};

// An open session; the test fails if it does not open.
struct TestSession {
  explicit TestSession(const OptionTexts& texts);
  explicit TestSession(const TestOptions& options);
  ~TestSession() { shingle_session_free(handle); }
  TestSession(const TestSession&) = delete;
  TestSession& operator=(const TestSession&) = delete;
  shingle_session* handle = nullptr;
};

// The tiny model on two local workers.
struct TinySession {
  explicit TinySession(OptionTexts further = {});
  ScratchFolder folder;
  std::string model;
  TestSession session;

 private:
  static OptionTexts with_usual(OptionTexts texts, const std::string& model);
};

shingle_tensor dense(const std::vector<float>& values, const std::vector<int64_t>& dims);
const std::vector<int64_t>& tiny_dims();  // 1 x 3 x 32 x 32
std::vector<float> tiny_input(uint64_t seed);

// Submits, and fails the test if that is refused.
shingle_request* submitted(shingle_session* session, const std::vector<float>& values,
                           const shingle_submission* submission = nullptr);
// The first output of an ended request.
std::vector<float> first_output(shingle_request* request);
std::vector<float> computed(shingle_session* session, const std::vector<float>& values);

// What one machine computes by the session's plan: the first output, in the file's order.
std::vector<float> alone(shingle_session* session, const std::string& model,
                         const std::vector<float>& values);

// Checks for a code and a sentence that contains `part`.
void check_refused(shingle_code code, shingle_code expected, const std::string& part);

// Of this process.
std::vector<int> children();
size_t open_files();
size_t threads();

}  // namespace shingle::testing
