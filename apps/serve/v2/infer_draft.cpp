#include "apps/serve/v2/infer_draft.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

using Json = nlohmann::json;

// Where in the request the reader is.
enum class Place : uint8_t {
  outside,
  request,
  request_parameters,
  inputs,
  input,
  input_shape,
  input_data,
  input_parameters,
  outputs,
  output,
  output_parameters,
  ignored  // what no rule knows: clients may say more than we read
};

struct Way {
  Place from;
  std::string_view key;  // empty: an element of an array
  Place to;
  bool is_array;
};
constexpr std::array ways{
    Way{Place::outside, "", Place::request, false},
    Way{Place::request, "parameters", Place::request_parameters, false},
    Way{Place::request, "inputs", Place::inputs, true},
    Way{Place::request, "outputs", Place::outputs, true},
    Way{Place::inputs, "", Place::input, false},
    Way{Place::input, "shape", Place::input_shape, true},
    Way{Place::input, "data", Place::input_data, true},
    Way{Place::input_data, "", Place::input_data, true},  // rows may be arrays of their own
    Way{Place::input, "parameters", Place::input_parameters, false},
    Way{Place::outputs, "", Place::output, false},
    Way{Place::output, "parameters", Place::output_parameters, false},
};

struct Number {
  double value = 0.0;
  float single = 0.0F;
  std::optional<int64_t> whole{};
};

class Reader {
 public:
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  bool null() { return value_of("null"); }
  bool boolean(bool value) {
    if (place() == Place::request_parameters && key_ == "binary_data_output")
      draft.binary_outputs = value;
    else if (place() == Place::output_parameters && key_ == "binary_data")
      draft.outputs.back().binary = value;
    else
      return value_of("true or false");
    return true;
  }
  bool number_integer(number_integer_t value) {
    return number({static_cast<double>(value), static_cast<float>(value), value});
  }
  bool number_unsigned(number_unsigned_t value) {
    if (value > INT64_MAX)
      return number({static_cast<double>(value), static_cast<float>(value), std::nullopt});
    return number_integer(static_cast<int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& text) {
    float single = 0.0F;  // straight from the text: by way of a double it would be rounded twice
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, single);
    if (parsed.ec != std::errc()) single = static_cast<float>(value);
    return number({value, single, std::nullopt});
  }
  bool string(string_t& value);
  bool binary(binary_t&) { return refuse("binary values are no JSON"); }
  bool start_object(size_t) { return enter(false); }
  bool start_array(size_t) { return enter(true); }
  bool end_object() { return leave(); }
  bool end_array() { return leave(); }
  bool key(string_t& value) {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) {
    return refuse("the request is no JSON at byte " + std::to_string(position));
  }

  InferDraft draft;
  std::string refusal;

 private:
  struct Level {
    Place place;
    bool is_array;
  };
  Place place() const { return levels_.empty() ? Place::outside : levels_.back().place; }
  bool is_in_array() const { return !levels_.empty() && levels_.back().is_array; }
  bool refuse(std::string why) {
    if (refusal.empty()) refusal = std::move(why);
    return false;
  }
  std::string at_input() const {
    return "input " + (draft.inputs.empty() || draft.inputs.back().name.empty()
                           ? std::to_string(draft.inputs.size())
                           : in_quotes(draft.inputs.back().name));
  }
  bool enter(bool is_array);
  bool begin(Place place);
  bool leave() {
    levels_.pop_back();
    return true;
  }
  bool number(const Number& number);
  bool value_of(const std::string& kind);

  std::vector<Level> levels_;
  std::string key_;
};

bool Reader::enter(bool is_array) {
  if (levels_.size() >= InferLimits::depth) return refuse("the request is nested too deeply");
  const std::string_view key = is_in_array() || levels_.empty() ? std::string_view() : key_;
  Place to = Place::ignored;
  for (const Way& way : ways) {
    if (way.from != place() || way.key != key) continue;
    if (way.is_array != is_array)
      return refuse((key.empty() ? std::string("the request") : in_quotes(key)) +
                    (way.is_array ? " is no array" : " is no object"));
    to = way.to;
  }
  if (to == Place::ignored && place() == Place::input_shape)
    return refuse(at_input() + ": its shape holds something else than numbers");
  if (!begin(to)) return false;
  levels_.push_back({to, is_array});
  return true;
}

bool Reader::begin(Place place) {
  if (place == Place::input) {
    if (draft.inputs.size() == InferLimits::tensors) return refuse("there are too many inputs");
    draft.inputs.emplace_back();
  }
  if (place == Place::output) {
    if (draft.outputs.size() == InferLimits::tensors) return refuse("there are too many outputs");
    draft.outputs.emplace_back();
  }
  if (place == Place::input_data) draft.inputs.back().has_data = true;
  return true;
}

bool Reader::number(const Number& number) {
  if (place() == Place::input_data) {
    InputDraft& input = draft.inputs.back();
    if (!std::isfinite(number.single))
      return refuse(at_input() + ": a value of its data is too large for FP32");
    input.has_fractions = input.has_fractions || number.value != std::floor(number.value);
    input.data.push_back(number.single);
    return true;
  }
  if (place() == Place::input_shape) {
    if (!number.whole || *number.whole < 0)
      return refuse(at_input() + ": its shape holds something else than sizes");
    if (draft.inputs.back().shape.size() == InferLimits::rank)
      return refuse(at_input() + ": its shape has more than 8 dimensions");
    draft.inputs.back().shape.push_back(*number.whole);
    return true;
  }
  if (place() == Place::input_parameters && key_ == "binary_data_size") {
    if (!number.whole || *number.whole < 0)
      return refuse(at_input() + ": binary_data_size is no number of bytes");
    draft.inputs.back().binary_bytes = static_cast<uint64_t>(*number.whole);
    return true;
  }
  if (place() == Place::output_parameters && key_ == "classification")
    return refuse("the extension 'classification' is not supported");
  return value_of("a number");
}

bool Reader::string(string_t& value) {
  std::string* target = nullptr;
  if (place() == Place::request && key_ == "id") target = &draft.id;
  if (place() == Place::input && key_ == "name") target = &draft.inputs.back().name;
  if (place() == Place::input && key_ == "datatype") target = &draft.inputs.back().datatype;
  if (place() == Place::output && key_ == "name") target = &draft.outputs.back().name;
  if (target == nullptr) return value_of("a text");
  if (value.size() > InferLimits::text_bytes)
    return refuse(in_quotes(key_) + " has more than 256 bytes");
  *target = std::move(value);
  return true;
}

// A value where it means nothing: ignored where a client may say more than we read.
bool Reader::value_of(const std::string& kind) {
  constexpr std::string_view known[] = {
      "id",   "inputs",     "outputs",          "name",        "datatype",          "shape",
      "data", "parameters", "binary_data_size", "binary_data", "binary_data_output"};
  if (levels_.empty()) return refuse("the request is no object");
  if (place() == Place::ignored) return true;
  if (is_in_array()) {
    if (place() == Place::input_data) return refuse(at_input() + ": its data hold " + kind);
    return refuse("an array of the request holds " + kind);
  }
  for (const std::string_view name : known)
    if (key_ == name) return refuse(in_quotes(key_) + " is " + kind);
  return true;
}

}  // namespace

Result<InferDraft> read_draft(std::string_view json) {
  Reader reader;
  const bool read = Json::sax_parse(json.begin(), json.end(), &reader);
  if (!read) return bad_input(reader.refusal);
  return std::move(reader.draft);
}

}  // namespace shingle::serve
