#include "apps/shingle/check_report.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/models/take_picture.hpp"
#include "apps/run/model_facts.hpp"
#include "partition/base/text.hpp"

namespace shingle {
namespace {

constexpr size_t most_reasons = 12;  // lines about whole maps or slow layers
constexpr size_t name_width = 36;

double share(int64_t part, int64_t all) {
  return all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

std::string percent(int64_t part, int64_t all) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", share(part, all));
  return text;
}

// The end of a name says more than its beginning: ".../cv2/conv/Conv".
std::string end_of(const std::string& name) {
  if (name.size() <= name_width) return name;
  return "..." + readable(name.substr(name.size() - name_width + 3));
}

std::string row(const CheckReport& report, const LayerGroup& group) {
  const CheckedLayer& like = group.like;
  const std::string macs = group.macs == 0 ? "" : with_unit(static_cast<double>(group.macs));
  const std::string kernel =
      std::string(name_of(like.kernel)) + (like.why_slow.empty() ? "" : ", slow");
  std::string cut = name_of(like.cut);
  if (like.grid > 1) cut.append(" by ").append(std::to_string(like.grid));
  const std::string first = report.layers ? to_string(like.output) : std::to_string(group.layers);
  char text[320];
  std::snprintf(text, sizeof text, "%12s  %-28.28s %-10s %-17s %8s %8s  ", first.c_str(),
                like.op.c_str(), cut.c_str(), kernel.c_str(), macs.c_str(),
                group.macs == 0 ? "" : percent(group.macs, report.check.macs).c_str());
  return text + end_of(like.name) + "\n";
}

std::string table(const CheckReport& report) {
  char head[160];
  std::snprintf(head, sizeof head, "%12s  %-28s %-10s %-17s %8s %8s  %s\n",
                report.layers ? "output" : "layers", "operator", "cut into", "kernel", "MACs",
                "of all", report.layers ? "layer" : "the first");
  std::string text = head;
  for (const LayerGroup& group : report.layers ? one_by_one(report.check) : by_work(report.check))
    text += row(report, group);
  return text;
}

// "whole map: 3 x Rearrange, the first is /head/Reshape: a reshape moves ..."
std::string reasons(const std::vector<LayerGroup>& groups, const char* title,
                    std::string CheckedLayer::*why) {
  std::string text;
  size_t lines = 0, left_out = 0;
  for (const LayerGroup& group : groups) {
    if ((group.like.*why).empty()) continue;
    if (++lines > most_reasons && ++left_out > 0) continue;
    const std::string count = group.layers == 1 ? "" : std::to_string(group.layers) + " x ";
    text += std::string(title) + ": " + count + group.like.op + ", " +
            (group.layers == 1 ? "" : "first ") + end_of(group.like.name) + ": " + group.like.*why +
            "\n";
  }
  if (left_out > 0) text += std::string(title) + ": " + std::to_string(left_out) + " kinds more\n";
  return text;
}

std::string head_text(const Reading& reading) {
  std::string text = std::string("head: ") + reading.head->name;
  if (reading.head != &raw_head) {
    const auto claim = reading.head->claim(reading.clues);
    if (claim && claim->classes > 0) text += ", " + std::to_string(claim->classes) + " classes";
  }
  text += "\n";
  for (const Head* head : possible_heads(reading.clues))
    if (head != reading.head)
      text += std::string("could be: --head ") + head->name + " (" + head->outputs + ")\n";
  return text;
}

std::string shares_text(const ModelCheck& check) {
  const int64_t whole = check.macs - check.distributed_macs;
  std::string text = "can be distributed: " + percent(check.distributed_macs, check.macs) + " of " +
                     with_unit(static_cast<double>(check.macs)) + " multiply-adds";
  if (whole > 0) text += "; " + percent(whole, check.macs) + " on one node";
  text += "\n";
  if (check.gathers > 0)
    text += "whole maps: gathered on one node " + std::to_string(check.gathers) +
            (check.gathers == 1 ? " time" : " times") + " a frame, between layers that are cut\n";
  return text;
}

std::string advice_text(const std::vector<std::string>& advice) {
  std::string text;
  for (const std::string& sentence : advice) text += "advice: " + sentence + "\n";
  return text;
}

}  // namespace

std::string text_of(const CheckReport& report) {
  const auto picture = picture_shape(report.model);
  const std::vector<LayerGroup> groups = by_work(report.check);
  return "runs: yes\n" + head_text(report.reading) +
         "takes pictures: " + (picture ? "yes, " + to_string(*picture) : "no: " + picture.error()) +
         "\n" + shares_text(report.check) + "\n" + table(report) + "\n" +
         reasons(groups, "whole map", &CheckedLayer::why_whole) +
         reasons(groups, "slow", &CheckedLayer::why_slow) + advice_text(report.advice);
}

std::string text_of(const RefusedReport& report) {
  if (report.unread.empty() && report.advice.empty()) return "";
  std::string text = "runs: no\n";
  if (!report.unread.empty()) {
    char line[320];
    std::snprintf(line, sizeof line, "\n%6s  %-40s %s\n", "nodes", "operator that is not read",
                  "first");
    text += line;
    for (const OnnxUnread& each : report.unread) {
      std::snprintf(line, sizeof line, "%6lld  %-40.60s ", static_cast<long long>(each.nodes),
                    each.op.c_str());
      text += line + end_of(each.first) + "\n";
    }
    text += "\n";
  }
  return text + advice_text(report.advice);
}

}  // namespace shingle
