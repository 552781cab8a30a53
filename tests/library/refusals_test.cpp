// Whatever callers give, they get a code and a sentence.
#include <sys/stat.h>

#include <limits>
#include <thread>

#include "tests/library/session_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// What shingle_submit() says of one input that is the usual one but for what `change` does.
template <class Change>
void check_input(shingle_session* session, const std::string& part, const Change& change) {
  static const std::vector<float> values = tiny_input(1);
  shingle_tensor input = dense(values, tiny_dims());
  change(input);
  shingle_request* request = nullptr;
  CAPTURE(part);
  check_refused(shingle_submit(session, &input, 1, nullptr, &request), SHINGLE_USAGE, part);
  CHECK(request == nullptr);
}

void check_option(const char* name, const char* value, const std::string& part) {
  const TestOptions options;
  check_refused(shingle_options_set(options.handle, name, value), SHINGLE_USAGE, part);
}

shingle_code open_with(const OptionTexts& texts) {
  const TestOptions options(texts);
  shingle_session* session = nullptr;
  const shingle_code code = shingle_open(options.handle, &session);
  CHECK(session == nullptr);
  return code;
}

}  // namespace

TEST_CASE("null in the place of any handle or result is refused") {
  shingle_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  shingle_counters counters{};
  counters.struct_size = sizeof counters;
  shingle_session* session = nullptr;
  shingle_request* request = nullptr;
  size_t count = 0;
  int64_t time = 0;
  char* text = nullptr;
  const char* json = nullptr;
  const shingle_box* boxes = nullptr;
  const std::string no_session = "the session is null", no_request = "the request is null",
                    no_options = "the handle of options is null";
  check_refused(shingle_options_new(nullptr), SHINGLE_USAGE, "the place for the options is null");
  check_refused(shingle_options_set(nullptr, "id", "1"), SHINGLE_USAGE, no_options);
  check_refused(shingle_options_set_model(nullptr, "x", 1), SHINGLE_USAGE, no_options);
  check_refused(shingle_options_set_log(nullptr, nullptr, nullptr), SHINGLE_USAGE, no_options);
  check_refused(shingle_options_free(nullptr), SHINGLE_USAGE, no_options);
  check_refused(shingle_open(nullptr, &session), SHINGLE_USAGE, no_options);
  check_refused(shingle_open(nullptr, nullptr), SHINGLE_USAGE, "the place for the session is null");
  check_refused(shingle_close(nullptr), SHINGLE_USAGE, no_session);
  check_refused(shingle_session_free(nullptr), SHINGLE_USAGE, no_session);
  check_refused(shingle_input_count(nullptr, &count), SHINGLE_USAGE, no_session);
  check_refused(shingle_input(nullptr, 0, &tensor), SHINGLE_USAGE, no_session);
  check_refused(shingle_output_count(nullptr, &count), SHINGLE_USAGE, no_session);
  check_refused(shingle_output_info(nullptr, 0, &tensor), SHINGLE_USAGE, no_session);
  check_refused(shingle_submit(nullptr, &tensor, 1, nullptr, &request), SHINGLE_USAGE, no_session);
  check_refused(shingle_submit_picture(nullptr, nullptr, nullptr, &request), SHINGLE_USAGE,
                no_session);
  check_refused(shingle_session_counters(nullptr, &counters), SHINGLE_USAGE, no_session);
  check_refused(shingle_plan(nullptr, &text), SHINGLE_USAGE, no_session);
  check_refused(shingle_wait(nullptr, 0), SHINGLE_USAGE, no_request);
  check_refused(shingle_cancel(nullptr), SHINGLE_USAGE, no_request);
  check_refused(shingle_request_free(nullptr), SHINGLE_USAGE, no_request);
  check_refused(shingle_output(nullptr, 0, &tensor), SHINGLE_USAGE, no_request);
  check_refused(shingle_duration(nullptr, &time), SHINGLE_USAGE, no_request);
  check_refused(shingle_findings(nullptr, &json), SHINGLE_USAGE, no_request);
  check_refused(shingle_boxes(nullptr, &boxes, &count), SHINGLE_USAGE, no_request);
  shingle_text_free(nullptr);
}

TEST_CASE(
    "options that do not exist or whose values are none are refused, with what would be right") {
  check_option("worker", "2", "there is no option 'worker'; did you mean 'workers'?");
  check_option("colour of the sky", "blue", "there is no option 'colour of the sky'");
  check_option(nullptr, "2", "the option's name is null");
  check_option("workers", nullptr, "option 'workers': its value is null");
  check_option("workers", "0", "option 'workers': '0' is not a number from 1 to 64");
  check_option("workers", "many", "option 'workers': 'many' is not a number from 1 to 64");
  check_option("workers", "2 ", "'2 ' is not a number");
  check_option("deadline", "nan", "'nan' is not a number");
  check_option("insecure", "perhaps", "'perhaps' is not 'yes' or 'no'");
  check_option("goal", "speed", "'speed' is not latency, throughput, energy or memory");
  check_option("shape", "3by4", "'3by4' is not a shape");
  check_option("memory", "lots", "'lots' is not an amount of memory");
  check_option("audit", "120%", "'120%' is not a share");
  check_option("fit", "tight", "'tight' is not letterbox, centred, stretch or crop");
  check_option("mean", "1,x", "'x' is not a number");
  const TestOptions options;
  check_refused(shingle_options_set_model(options.handle, nullptr, 5), SHINGLE_USAGE,
                "the model has no bytes");
}

TEST_CASE("a session that cannot be opened says why, with the right code") {
  const ScratchFolder folder;
  const std::string model = tiny_model(folder);
  check_refused(open_with({}), SHINGLE_USAGE, "no model was given");
  check_refused(open_with({{"model", folder / "none.onnx"}}), SHINGLE_BAD_INPUT,
                "none.onnx': No such file");
  check_refused(open_with({{"model", folder.with_text("text.onnx", "no model at all")}}),
                SHINGLE_BAD_INPUT, "cannot take");
  check_refused(open_with({{"model", model}, {"cluster", folder / "none.toml"}, {"id", "1"}}),
                SHINGLE_BAD_INPUT, "none.toml");
  check_refused(open_with({{"model", model}, {"cluster", folder / "none.toml"}}), SHINGLE_USAGE,
                "set the option 'id'");
  check_refused(open_with({{"model", model}, {"id", "1"}}), SHINGLE_USAGE,
                "the option 'id' is for a cluster");
  check_refused(open_with({{"model", model}, {"plan", folder.with_text("plan", "no plan")}}),
                SHINGLE_BAD_INPUT, "plan");
  check_refused(open_with({{"model", model}, {"node-program", "/none"}}), SHINGLE_USAGE,
                "the program of local workers, '/none', cannot be run");
  check_refused(open_with({{"model", model}, {"pictures", "yes"}, {"head", "none"}}), SHINGLE_USAGE,
                "none");
  TestOptions bytes;
  const std::string text = "neither";
  REQUIRE(shingle_options_set_model(bytes.handle, text.data(), text.size()) == SHINGLE_OK);
  shingle_session* session = nullptr;
  check_refused(shingle_open(bytes.handle, &session), SHINGLE_BAD_INPUT, "cannot take");
}

TEST_CASE("a worker program that ends at once is told with its last words") {
  const ScratchFolder folder;
  const std::string program =
      folder.with_text("ends", "#!/bin/sh\necho 'no cores here' >&2\nexit 3\n");
  REQUIRE(::chmod(program.c_str(), 0755) == 0);
  check_refused(open_with({{"model", tiny_model(folder)}, {"node-program", program}}),
                SHINGLE_RUNTIME, "ended with exit code 3, saying \"no cores here\"");
  CHECK(children().empty());
}

TEST_CASE("a tensor of a wrong type, shape, stride or size is refused by its name") {
  TinySession tiny;
  shingle_session* session = tiny.session.handle;
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  check_input(session, "its type is SHINGLE_U8, and the model takes SHINGLE_F32",
              [](shingle_tensor& input) { input.type = SHINGLE_U8; });
  check_input(session, "its type is unknown (77)", [](shingle_tensor& input) { input.type = 77; });
  check_input(session, "its dims are 1 x 3 x 32 x 31, and the model takes 1 x 3 x 32 x 32",
              [](shingle_tensor& input) { input.dims[3] = 31; });
  check_input(session, "its dims are 1 x 3 x 32 x -32",
              [](shingle_tensor& input) { input.dims[3] = -32; });
  check_input(session, "its dims are 0 x 3", [](shingle_tensor& input) { input.dims[0] = 0; });
  check_input(session, "its rank is -1", [](shingle_tensor& input) { input.rank = -1; });
  check_input(session, "its rank is 9, and may be 0 to 8",
              [](shingle_tensor& input) { input.rank = 9; });
  check_input(session, "its data are null", [](shingle_tensor& input) { input.data = nullptr; });
  check_input(session, "its dims and strides need 12288 bytes, and size says 12287",
              [](shingle_tensor& input) { input.size -= 1; });
  check_input(session, "its strides are negative",
              [](shingle_tensor& input) { input.strides[3] = -4; });
  check_input(session, "and size says 12288",
              [](shingle_tensor& input) { input.strides[1] = 8192; });
  check_input(session, "its strides reach past all memory", [](shingle_tensor& input) {
    for (int64_t& stride : input.strides) stride = huge;
  });
  check_input(session, "struct_size of the shingle_tensor is 8",
              [](shingle_tensor& input) { input.struct_size = 8; });
  check_input(session, "the model has no input 'other'",
              [](shingle_tensor& input) { input.name = "other"; });
  shingle_request* request = nullptr;
  const std::vector<float> values = tiny_input(1);
  const shingle_tensor two[] = {dense(values, tiny_dims()), dense(values, tiny_dims())};
  check_refused(shingle_submit(session, two, 2, nullptr, &request), SHINGLE_USAGE,
                "2 inputs were given, and the model takes 1");
  check_refused(shingle_submit(session, two, 0, nullptr, &request), SHINGLE_USAGE,
                "0 inputs were given");
  check_refused(shingle_submit(session, nullptr, 1, nullptr, &request), SHINGLE_USAGE,
                "the inputs are null");
  check_refused(shingle_submit(session, two, 1, nullptr, nullptr), SHINGLE_USAGE,
                "the place for the request is null");
  shingle_submission how{};
  check_refused(shingle_submit(session, two, 1, &how, &request), SHINGLE_USAGE,
                "struct_size of the shingle_submission is 0");
  how.struct_size = sizeof how;
  how.deadline_ns = -5;
  check_refused(shingle_submit(session, two, 1, &how, &request), SHINGLE_USAGE,
                "deadline_ns is -5");
  how.deadline_ns = huge;
  check_refused(shingle_submit(session, two, 1, &how, &request), SHINGLE_USAGE, "deadline_ns is");
}

TEST_CASE(
    "places that a model does not have, and results that a request does not have, are refused") {
  TinySession tiny;
  shingle_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  check_refused(shingle_input(tiny.session.handle, 1, &tensor), SHINGLE_USAGE,
                "the model has no input 1; it has 1");
  check_refused(shingle_output_info(tiny.session.handle, 9, &tensor), SHINGLE_USAGE,
                "the model has no output 9");
  check_refused(shingle_input(tiny.session.handle, 0, nullptr), SHINGLE_USAGE,
                "the shingle_tensor is null");
  shingle_picture picture{};
  shingle_request* request = nullptr;
  check_refused(shingle_submit_picture(tiny.session.handle, &picture, nullptr, &request),
                SHINGLE_USAGE, "the session takes tensors");
  request = submitted(tiny.session.handle, tiny_input(1));
  REQUIRE(shingle_wait(request, -1) == SHINGLE_OK);
  check_refused(shingle_output(request, 5, &tensor), SHINGLE_USAGE, "the model has no output 5");
  check_refused(shingle_output(request, 0, nullptr), SHINGLE_USAGE, "the shingle_tensor is null");
  const char* json = nullptr;
  check_refused(shingle_findings(request, &json), SHINGLE_USAGE,
                "tensors were submitted and no picture");
  const shingle_box* boxes = nullptr;
  size_t count = 0;
  check_refused(shingle_boxes(request, &boxes, &count), SHINGLE_USAGE, "no picture");
  CHECK(shingle_request_free(request) == SHINGLE_OK);
  check_refused(shingle_output(request, 0, &tensor), SHINGLE_USAGE,
                "this request is none: it was freed");
  check_refused(shingle_request_free(request), SHINGLE_USAGE, "this request is none");
}

TEST_CASE("handles of other kinds, invented ones and freed ones are refused") {
  TinySession tiny;
  auto* as_request = reinterpret_cast<shingle_request*>(tiny.session.handle);
  check_refused(shingle_wait(as_request, -1), SHINGLE_USAGE, "this request is none");
  auto* invented = reinterpret_cast<shingle_session*>(uintptr_t{0xdeadbeefcafe});
  check_refused(shingle_close(invented), SHINGLE_USAGE, "this session is none");
  shingle_options* options = nullptr;
  REQUIRE(shingle_options_new(&options) == SHINGLE_OK);
  CHECK(shingle_options_free(options) == SHINGLE_OK);
  check_refused(shingle_options_set(options, "id", "1"), SHINGLE_USAGE,
                "this handle of options is none");
  check_refused(shingle_options_free(options), SHINGLE_USAGE, "this handle of options is none");
}

TEST_CASE(
    "structs of callers that were compiled with an older or a newer header are read and filled") {
  TinySession tiny;
  struct Newer {
    shingle_counters known;
    uint64_t later;
  } newer{};
  newer.known.struct_size = sizeof newer;
  newer.later = 7;
  REQUIRE(shingle_session_counters(tiny.session.handle, &newer.known) == SHINGLE_OK);
  CHECK(newer.known.struct_size == sizeof newer);
  CHECK(newer.later == 7);  // not known, not touched
  struct NewerTensor {
    shingle_tensor known;
    uint64_t later;
  };
  const std::vector<float> values = tiny_input(1);
  NewerTensor input{.known = dense(values, tiny_dims()), .later = 9};
  input.known.struct_size = sizeof input;
  shingle_request* request = nullptr;
  REQUIRE(shingle_submit(tiny.session.handle, &input.known, 1, nullptr, &request) == SHINGLE_OK);
  CHECK(shingle_wait(request, -1) == SHINGLE_OK);
  shingle_request_free(request);
}

TEST_CASE("each thread has the sentence of its own last failure") {
  check_refused(shingle_close(nullptr), SHINGLE_USAGE, "the session is null");
  std::string of_other;
  std::thread([&] { of_other = shingle_error(); }).join();
  CHECK(of_other.empty());
  CHECK(std::string(shingle_error()) == "the session is null");
  CHECK(std::string(shingle_version()).find('.') != std::string::npos);
}
