#include "partition/readers/onnx/survey.hpp"

#include <algorithm>
#include <unordered_map>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/patterns/fusion.hpp"
#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t longest_name = 60, most_named = 8;  // in the sentence

std::string operator_of(const NodeProto& node) {
  std::string text;
  if (!is_of_onnx(node)) text.append(readable(node.domain)).append(".");
  return text.append(readable(node.op));
}

std::string short_text(const std::string& text) { return readable(text, longest_name); }

// "Unique (2 nodes, the first is 'unique_1')"
std::string counted(const OnnxUnread& unread) {
  std::string text = short_text(unread.op);
  if (unread.nodes == 1)
    text += " (node ";
  else
    text.append(" (").append(std::to_string(unread.nodes)).append(" nodes, the first is ");
  return text.append("'").append(short_text(unread.first)).append("')");
}

std::string listed(const std::vector<OnnxUnread>& unread) {
  std::string text;
  const size_t named = std::min(unread.size(), most_named);
  for (size_t i = 0; i < named; ++i) {
    const bool last = i + 1 == unread.size();
    text.append(i == 0 ? "" : last ? " and " : ", ").append(counted(unread[i]));
  }
  if (named < unread.size()) text += " and " + std::to_string(unread.size() - named) + " more";
  return text;
}

std::string subject(const std::vector<OnnxUnread>& unread) {
  if (unread.size() == 1 && unread[0].nodes == 1)
    return "node '" + unread[0].first + "' uses operator " + unread[0].op +
           ", which shingle does not support";
  if (unread.size() == 1)
    return "the network uses operator " + counted(unread[0]) + ", which shingle does not support";
  return "the network uses " + std::to_string(unread.size()) +
         " operators that shingle does not support: " + listed(unread);
}

}  // namespace

std::vector<OnnxUnread> unread_operators(const Graph& graph) {
  std::vector<OnnxUnread> found;
  std::unordered_map<std::string, size_t> places;
  const std::vector<bool> live = live_nodes(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const NodeProto& node = graph.nodes[i];
    if (!live[i] || is_read(node)) continue;
    const std::string op = operator_of(node);
    const auto [place, is_new] = places.try_emplace(op, found.size());
    if (is_new) found.push_back({.op = op, .nodes = 0, .first = node_name(node, i)});
    ++found[place->second].nodes;
  }
  return found;
}

void check_operators(const Graph& graph) {
  std::vector<OnnxUnread> unread = unread_operators(graph);
  if (unread.empty()) return;
  const bool one = unread.size() == 1 && unread[0].nodes == 1;
  std::string sentence = subject(unread) + "; rewrite " + (one ? "that part" : "those parts") +
                         " of the network with convolutions, pooling, element-wise operators, "
                         "reshapes or slices";
  throw Refusal{.sentence = std::move(sentence), .names_node = true, .unread = std::move(unread)};
}

}  // namespace shingle::onnx
