#include "apps/serve/models/session.hpp"

#include <algorithm>
#include <cassert>

#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

class Options {
 public:
  Options() { shingle_options_new(&handle_); }
  ~Options() { shingle_options_free(handle_); }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  CallEnd set(const OptionTexts& texts) {
    for (const auto& [name, value] : texts)
      if (const auto code = shingle_options_set(handle_, name.c_str(), value.c_str());
          code != SHINGLE_OK)
        return last_end(code);
    return {};
  }
  shingle_options* handle() const { return handle_; }

 private:
  shingle_options* handle_ = nullptr;
};

void take_note(int32_t level, const char* sentence, void* user) {
  note_to(*static_cast<const Log*>(user),
          level == SHINGLE_WARNING ? LogLevel::warning : LogLevel::info, sentence);
}

shingle_tensor tensor_of(const TensorValue& value) {
  shingle_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.name = value.info.name.c_str();
  tensor.type = value.info.type == DataType::fp32 ? SHINGLE_F32 : SHINGLE_U8;
  tensor.rank = static_cast<int32_t>(value.info.shape.size());
  assert(value.info.shape.size() <= SHINGLE_MAX_RANK);
  std::ranges::copy(value.info.shape, tensor.dims);
  tensor.data = value.bytes.data();
  tensor.size = value.bytes.size();
  return tensor;
}

TensorInfo info_of(const shingle_tensor& tensor) {
  return {tensor.name,
          tensor.type == SHINGLE_U8 ? DataType::uint8 : DataType::fp32,
          {tensor.dims, tensor.dims + tensor.rank}};
}

void tell(shingle_request* request, shingle_code code, void* user) {
  const std::unique_ptr<Done> done(static_cast<Done*>(user));
  (*done)(Request(request), code);
}

template <class Count, class Describe>
shingle_code read_all(shingle_session* session, Count count, Describe describe,
                      std::vector<TensorInfo>& infos) {
  size_t tensors = 0;
  if (const auto code = count(session, &tensors); code != SHINGLE_OK) return code;
  for (size_t i = 0; i < tensors; ++i) {
    shingle_tensor tensor{};
    tensor.struct_size = sizeof tensor;
    if (const auto code = describe(session, i, &tensor); code != SHINGLE_OK) return code;
    infos.push_back(info_of(tensor));
  }
  return SHINGLE_OK;
}

}  // namespace

CallEnd last_end(shingle_code code) { return {code, shingle_error()}; }

Status check_options(const OptionTexts& texts) {
  Options options;
  const CallEnd set = options.set(texts);
  return set.ok() ? success() : Status(usage_error(set.sentence));
}

CallEnd Request::wait(std::chrono::milliseconds longest) const {
  const auto code = shingle_wait(handle_, std::chrono::nanoseconds(longest).count());
  return code == SHINGLE_OK ? CallEnd{} : last_end(code);
}

Request::Outputs Request::outputs(size_t count) const {
  std::vector<OutputView> views;
  for (size_t i = 0; i < count; ++i) {
    shingle_tensor tensor{};
    tensor.struct_size = sizeof tensor;
    if (const auto code = shingle_output(handle_, i, &tensor); code != SHINGLE_OK)
      return {last_end(code), {}};
    views.push_back({tensor.name,
                     {tensor.dims, tensor.dims + tensor.rank},
                     {static_cast<const float*>(tensor.data), tensor.size / sizeof(float)}});
  }
  return {{}, std::move(views)};
}

Request::Boxes Request::boxes() const {
  const shingle_box* boxes = nullptr;
  size_t count = 0;
  if (const auto code = shingle_boxes(handle_, &boxes, &count); code != SHINGLE_OK)
    return {last_end(code)};
  return {{}, {boxes, count}};
}

Session::Opened Session::open(const OptionTexts& texts, const Model& model, Use use,
                              const Log& log) {
  Options options;
  if (CallEnd set = options.set(texts); !set.ok()) return {std::move(set)};
  shingle_code code = SHINGLE_OK;
  if (model.path.empty())
    code = shingle_options_set_model(options.handle(), model.bytes.data(), model.bytes.size());
  else
    code = shingle_options_set(options.handle(), "model", model.path.c_str());
  if (code == SHINGLE_OK && use == Use::pictures)
    code = shingle_options_set(options.handle(), "pictures", "yes");
  std::unique_ptr<Session> session(new Session(log));
  if (code == SHINGLE_OK)
    code = shingle_options_set_log(options.handle(), take_note, const_cast<Log*>(&session->log_));
  if (code == SHINGLE_OK) code = shingle_open(options.handle(), &session->handle_);
  if (code != SHINGLE_OK) return {last_end(code)};
  if (CallEnd seen = session->look(); !seen.ok()) return {std::move(seen)};
  return {{}, std::move(session)};
}

CallEnd Session::look() {
  auto code = read_all(handle_, shingle_input_count, shingle_input, inputs_);
  if (code == SHINGLE_OK)
    code = read_all(handle_, shingle_output_count, shingle_output_info, outputs_);
  return code == SHINGLE_OK ? CallEnd{} : last_end(code);
}

Session::Submitted Session::submit(const std::vector<TensorValue>& inputs,
                                   std::chrono::nanoseconds room_wait) const {
  std::vector<shingle_tensor> tensors;
  for (const TensorValue& input : inputs) tensors.push_back(tensor_of(input));
  shingle_submission submission{};
  submission.struct_size = sizeof submission;
  submission.room_wait_ns = room_wait.count();
  shingle_request* request = nullptr;
  const auto code = shingle_submit(handle_, tensors.data(), tensors.size(), &submission, &request);
  if (code != SHINGLE_OK) return {last_end(code)};
  return {{}, Request(request)};
}

CallEnd Session::submit(const RgbPicture& picture, std::chrono::nanoseconds deadline,
                        Done done) const {
  shingle_picture given{};
  given.struct_size = sizeof given;
  given.format = SHINGLE_RGB;
  given.width = picture.width;
  given.height = picture.height;
  given.data = picture.pixels.data();
  given.size = picture.pixels.size();
  auto kept = std::make_unique<Done>(std::move(done));
  shingle_submission submission{};
  submission.struct_size = sizeof submission;
  submission.deadline_ns = deadline.count();
  submission.done = tell;
  submission.user = kept.get();
  shingle_request* request = nullptr;
  const auto code = shingle_submit_picture(handle_, &given, &submission, &request);
  if (code != SHINGLE_OK) return last_end(code);
  kept.release();  // tell() frees it
  return {};
}

}  // namespace shingle::serve
