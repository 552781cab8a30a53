// What `shingle model check` prints: a table for people, or one JSON object.
#pragma once

#include <string>
#include <vector>

#include "apps/heads/reading.hpp"
#include "apps/shingle/model_check.hpp"

namespace shingle {

struct CheckReport {
  const Model& model;
  const Reading& reading;
  const ModelCheck& check;
  std::vector<std::string> advice;
  bool layers = false;  // one by one, and not a row for each kind
};
std::string text_of(const CheckReport& report);
std::string json_of(const CheckReport& report);  // one line

// Of a model that is refused.
struct RefusedReport {
  std::string reason;
  std::vector<OnnxUnread> unread;
  std::vector<std::string> advice;
};
std::string text_of(const RefusedReport& report);  // empty if there is nothing but the reason
std::string json_of(const RefusedReport& report);

}  // namespace shingle
