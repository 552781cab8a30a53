#include "apps/trace/trace_lines.hpp"

#include <utility>

namespace shingle {

Error TraceLines::error(const std::string& sentence) const {
  return bad_input(file_ + ":" + std::to_string(number_) + ": " + sentence);
}

// False: the file has ended. `line_` is without its newline and the comma before it.
Result<bool> TraceLines::read_line() {
  line_.clear();
  ++number_;
  std::streambuf& buffer = *in_.rdbuf();
  constexpr int end_of_file = std::char_traits<char>::eof();
  for (int letter = buffer.sbumpc(); letter != '\n'; letter = buffer.sbumpc()) {
    if (letter == end_of_file) return !line_.empty();
    if (line_.size() >= most_bytes_)
      return error("the line is longer than " + std::to_string(most_bytes_) +
                   " bytes; a trace of shingle has one event in each line");
    line_ += static_cast<char>(letter);
  }
  while (!line_.empty() && (line_.back() == ',' || line_.back() == '\r')) line_.pop_back();
  return true;
}

// An event has some ten fields, one inside another at most twice. The parser's time grows with the
// square of an object's fields, and its stack with the depth.
bool TraceLines::is_simple() const {
  constexpr int deepest = 16, most_commas = 256;
  int depth = 0, commas = 0;
  bool in_text = false;
  for (size_t i = 0; i < line_.size(); ++i) {
    const char letter = line_[i];
    if (in_text && letter == '\\') ++i;
    if (letter == '"') in_text = !in_text;
    if (in_text) continue;
    if (letter == '{' || letter == '[') ++depth;
    if (letter == '}' || letter == ']') --depth;
    if (letter == ',') ++commas;
    if (depth > deepest || commas > most_commas) return false;
  }
  return true;
}

Result<std::optional<nlohmann::ordered_json>> TraceLines::next() {
  while (!ended_) {
    const Result<bool> more = read_line();
    if (!more) return more.failure();
    if (!*more) {
      ended_ = true;
      whole_ = false;
      break;
    }
    if (number_ == 1 && line_ == "[]") ended_ = true;
    if (line_.empty() || (number_ == 1 && line_ == "[")) continue;
    if (number_ == 1) return error("this is no trace of shingle: it does not begin with '['");
    if (line_ == "]") {
      ended_ = true;
      break;
    }
    if (!is_simple()) return error("this is no event: it has too many fields, or too deep ones");
    auto event = nlohmann::ordered_json::parse(line_, nullptr, false);
    if (event.is_object()) return std::optional(std::move(event));
    if (in_.rdbuf()->sgetc() == std::char_traits<char>::eof()) {  // cut off within its last line
      ended_ = true;
      whole_ = false;
      break;
    }
    return error("this is no event; a trace of shingle has one JSON object in each line");
  }
  return std::optional<nlohmann::ordered_json>();
}

}  // namespace shingle
