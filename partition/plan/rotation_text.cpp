// The text of a rotation: see print() in rotation.hpp. A line "end" ends each plan; parse_plan
// reads the text between two such lines.
#include <charconv>

#include "partition/plan/rotation.hpp"

namespace shingle {
namespace {

constexpr std::string_view share_word = "share ", last_line = "\nend\n";

// Removes a line "share N" from the beginning of the text, if there is one. None: there is one, but
// N is not a valid share.
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

// Removes one plan from the beginning of the text: up to its line "end", or all of the text.
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
      return bad_input("there are more than " + std::to_string(max_turns) + " plans");
    const auto share = take_share(text);
    if (!share)
      return bad_input(place + "expected 'share N' with N from 2 to " + std::to_string(max_share));
    auto plan = parse_plan(take_plan(text));
    if (!plan) return bad_input(place + plan.error());
    rotation.push_back({std::move(*plan), *share});
  } while (!text.empty());
  return rotation;
}

}  // namespace shingle
