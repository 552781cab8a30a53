// The text of a rotation: see print() in rotation.hpp. Where one plan ends is said by its line
// "end"; what stands between two lines "end" is read by parse_plan.
#include <charconv>

#include "partition/plan/rotation.hpp"

namespace shingle {
namespace {

constexpr std::string_view share_word = "share ", last_line = "\nend\n";

// Takes the line "share N" off the text if it begins with one. None: it does, and N is none.
std::optional<int32_t> take_share(std::string_view& text) {
  if (!text.starts_with(share_word)) return 1;
  int32_t share = 0;
  const char* begin = text.data() + share_word.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), share);
  const auto taken = static_cast<size_t>(end - text.data());
  if (error != std::errc{} || taken == text.size() || *end != '\n') return std::nullopt;
  if (share < 2 || share > max_share) return std::nullopt;
  text.remove_prefix(taken + 1);
  return share;
}

// Takes a plan off the text: to its line "end", or all that is left.
std::string_view take_plan(std::string_view& text) {
  const size_t end = text.find(last_line);
  const std::string_view plan =
      end == std::string_view::npos ? text : text.substr(0, end + last_line.size());
  text.remove_prefix(plan.size());
  return plan;
}

}  // namespace

std::string print(const Rotation& rotation) {
  std::string text;
  for (const Turn& turn : rotation) {
    if (turn.share != 1) text += std::string(share_word) + std::to_string(turn.share) + "\n";
    text += print(turn.plan);
  }
  return text;
}

Result<Rotation> parse_rotation(std::string_view text) {
  Rotation rotation;
  do {
    const std::string place =
        rotation.empty() ? "" : "plan " + std::to_string(rotation.size() + 1) + ", ";
    if (rotation.size() == max_turns)
      return Error{"there are more than " + std::to_string(max_turns) + " plans"};
    const auto share = take_share(text);
    if (!share)
      return Error{place + "expected 'share N' with N from 2 to " + std::to_string(max_share)};
    auto plan = parse_plan(take_plan(text));
    if (!plan) return Error{place + plan.error()};
    rotation.push_back({std::move(*plan), *share});
  } while (!text.empty());
  return rotation;
}

}  // namespace shingle
