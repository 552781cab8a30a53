#include "apps/drone/verbs/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "apps/drone/boxes/number_lines.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

using Json = nlohmann::json;
constexpr double most_class = 1e6;

std::optional<double> number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// None: the box lacks a number, or has no area.
std::optional<MotRow> row_of(const Json& box) {
  const auto x = number_in(box, "x"), y = number_in(box, "y");
  const auto w = number_in(box, "w"), h = number_in(box, "h"), score = number_in(box, "score");
  if (!x || !y || !w || !h || !score || *w <= 0.0 || *h <= 0.0) return std::nullopt;
  return MotRow{.box = {*x, *y, *w, *h},
                .score = *score,
                .class_id = static_cast<int>(number_in(box, "class").value_or(-1.0))};
}

// Lines without "frame" and "boxes" are about nodes or the run and are left out, and so are those
// of further models, which have a "model".
Result<std::vector<MotRow>> read_json_lines(const std::string& text, const std::string& path) {
  std::vector<MotRow> rows;
  std::istringstream lines(text);
  size_t number = 0;
  bool has_frames = false;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto refusal = [&](const std::string& what) {
      return bad_input("'" + path + "' line " + std::to_string(number) + " " + what);
    };
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object())
      return refusal("is no JSON object; 'shingle run --json' prints one in each line");
    if (!json.contains("frame") || !json.contains("boxes") || json.contains("model")) continue;
    const auto frame = number_in(json, "frame");
    if (!frame || *frame < 0.0 || *frame >= last_frame || !json["boxes"].is_array())
      return refusal("has no frame number, or too large a one, or no list of boxes");
    has_frames = true;
    for (const Json& box : json["boxes"]) {
      auto row = row_of(box);
      if (!row) return refusal("has a box without x, y, w, h and score, or without area");
      row->frame = static_cast<uint32_t>(*frame) + 1;
      row->line = number;
      rows.push_back(*row);
    }
  }
  if (!has_frames)
    return bad_input("'" + path +
                     "' has no line with a frame's boxes; use the output of "
                     "'shingle run --json' with a detector");
  return rows;
}

// A number, or a text that is one from its first letter to its last.
std::optional<double> number_or_text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return number_in(object, key);
  const auto& text = found->get_ref<const std::string&>();
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// Where each of the results is in the text: a parsed one does not know its line.
std::vector<size_t> lines_of_frame_ids(const std::string& text) {
  constexpr std::string_view key = "\"frame_id\"";
  std::vector<size_t> lines;
  size_t line = 1, counted = 0;
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + key.size())) {
    line += static_cast<size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                           text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    lines.push_back(line);
  }
  return lines;
}

Result<std::vector<MotRow>> read_results(const Json& results, const std::string& text,
                                         const std::string& path) {
  if (!results.is_array())
    return bad_input("'" + path + "' has 'results' that are no list of detections");
  const auto lines = lines_of_frame_ids(text);
  std::vector<MotRow> rows;
  for (size_t index = 0; index < results.size(); ++index) {
    const Json& each = results[index];
    const auto value = [&](const char* key) { return number_or_text_in(each, key); };
    const size_t line = lines.size() == results.size() ? lines[index] : 0;
    const auto refusal = [&](const std::string& what) {
      return bad_input(
          "'" + path + "' " +
          (line > 0 ? "line " + std::to_string(line) : "result " + std::to_string(index + 1)) +
          " " + what);
    };
    if (!each.is_object()) return refusal("is no detection");
    const auto frame = value("frame_id");
    if (!frame || !is_whole(*frame) || *frame < 0.0 || *frame >= last_frame)
      return refusal("has no frame_id, or too large a one; they count from 0");
    const auto label = value("label");
    if (label && (!is_whole(*label) || std::abs(*label) > most_class))
      return refusal("has a label that is no class");
    const auto x = value("x"), y = value("y"), w = value("width"), h = value("height"),
               score = value("prob");
    if (!x || !y || !w || !h || !score || *w <= 0.0 || *h <= 0.0)
      return refusal("lacks x, y, width, height or prob, or has no area");
    rows.push_back({.frame = static_cast<uint32_t>(*frame) + 1,
                    .box = {*x, *y, *w, *h},
                    .score = *score,
                    .class_id = static_cast<int>(label.value_or(-1.0)),
                    .line = line});
  }
  return rows;
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || !text)  // bad: a folder, say
    return bad_input("cannot read " + in_quotes(path) + ": " + std::strerror(errno));
  return text.str();
}

Result<std::vector<MotRow>> read_boxes(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return text.failure();
  const size_t begin = text->find_first_not_of(" \t\r\n");
  if (begin != std::string::npos && (*text)[begin] == '{') {
    // Of several lines with an object each this is none: it ends at the second one.
    const Json whole = Json::parse(*text, nullptr, false);
    if (whole.is_object() && whole.contains("results"))
      return read_results(whole["results"], *text, path);
    return read_json_lines(*text, path);
  }
  return read_mot(*text, path);
}

}  // namespace shingle::drone
