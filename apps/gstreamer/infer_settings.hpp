// What the properties of shingleinfer say, as values and as options of shingle.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shingle::gst {

struct InferSettings {
  // Empty: not set.
  std::string model{}, weights{}, cluster{}, keys{}, head{}, names{}, node_program{};
  std::string options{};  // further options: "name=value,name=value"
  int32_t id = -1;        // below 0: not set
  bool insecure = false;
  uint32_t workers = 4, threads = 1, open = 4;
  double score = -1.0, nms = -1.0;  // below 0: as the model says
};

struct OptionText {
  std::string name, value;

  bool operator==(const OptionText&) const = default;
};

struct OptionTexts {
  std::vector<OptionText> texts{};
  std::string error{};  // a sentence; empty: there is none
};

// All that is set, in the order in which it is to be set, with "pictures". An error: `options` is
// no list, or names what is a property, or the model is missing.
OptionTexts options_of(const InferSettings& settings);

// "mean=1,2,3,goal=latency": a comma begins another option where a '=' follows before the next one.
OptionTexts parse_option_list(const std::string& list);

}  // namespace shingle::gst
