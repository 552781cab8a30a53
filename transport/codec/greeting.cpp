#include "transport/codec/greeting.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

namespace {

std::string list(const std::vector<NodeId>& members) {
  std::string text;
  for (const NodeId id : members)
    text.append(text.empty() ? "" : ", ").append(std::to_string(id.value));
  return text;
}

}  // namespace

std::string title(NodeId id, const std::string& name) {
  std::string text = "node " + std::to_string(id.value);
  return name.empty() ? text : text + " (" + name + ")";
}

Status check_greeting(const Greeting& mine, const Greeting& theirs) {
  assert(std::ranges::find(mine.members, mine.node) != mine.members.end());
  const std::string they = title(theirs.node, theirs.name), we = title(mine.node, mine.name);
  if (theirs.version != mine.version)
    return Error{they + " speaks protocol version " + std::to_string(theirs.version) + ", " + we +
                 " speaks " + std::to_string(mine.version) + ": install the same shingle on both"};
  if (theirs.node == mine.node)
    return Error{they + " has the id of " + we + ": ids in a cluster file are unique"};
  if (std::ranges::find(mine.members, theirs.node) == mine.members.end())
    return Error{they + " is not a member of the cluster file of " + we};
  if (theirs.members != mine.members)
    return Error{they + " has a cluster file with the nodes " + list(theirs.members) + ", " + we +
                 " one with the nodes " + list(mine.members) + ": give both the same file"};
  return success();
}

}  // namespace shingle
