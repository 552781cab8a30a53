#include "apps/drone/pipeline/vehicle_classes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "apps/drone/pipeline/class_choice.hpp"

namespace shingle::drone {
namespace {

constexpr std::array car_or_larger{"car", "van", "truck", "bus", "lorry"};
constexpr std::array maybe_smaller{"motorcycle", "motor", "bicycle", "vehicle"};

// As a word of its own: "bus", "school bus", not "bush".
bool says(const std::string& name, std::string_view word) {
  for (size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
    const size_t end = at + word.size();
    const auto is_letter = [&](size_t place) {
      return std::isalpha(static_cast<unsigned char>(name[place])) != 0;
    };
    if ((at == 0 || !is_letter(at - 1)) && (end == name.size() || !is_letter(end))) return true;
  }
  return false;
}

bool says_any(std::span<const char* const> words, std::string_view class_name) {
  const std::string name = lower_case(class_name);
  return std::ranges::any_of(words, [&](const char* word) { return says(name, word); });
}

}  // namespace

VehicleKind kind_of(std::string_view class_name) {
  const std::string name = lower_case(class_name);
  if (says(name, "bus")) return VehicleKind::bus;
  if (says(name, "truck") || says(name, "lorry")) return VehicleKind::truck;
  return says(name, "van") ? VehicleKind::van : VehicleKind::car;
}

bool is_car_or_larger(std::string_view class_name) { return says_any(car_or_larger, class_name); }

Result<VehicleClasses> VehicleClasses::make(const std::vector<std::string>& names,
                                            const std::string& wanted) {
  VehicleClasses chosen;
  auto classes = chosen_classes(names, wanted);
  if (!classes) return classes.failure();
  chosen.classes_ = std::move(*classes);
  if (wanted.empty() && names.empty()) chosen.takes_all_ = true;
  for (size_t i = 0; wanted.empty() && i < names.size(); ++i)
    if (says_any(car_or_larger, names[i]) || says_any(maybe_smaller, names[i]))
      chosen.classes_.push_back(static_cast<int>(i));
  if (chosen.classes_.empty() && !wanted.empty()) return usage_error("--classes names no class");
  if (!chosen.takes_all_ && chosen.classes_.empty())
    return bad_input("no class of the model is a vehicle by its name; it has " +
                     listed_names(names) + "; choose with --classes");
  return chosen;
}

bool VehicleClasses::contains(int class_id) const {
  return takes_all_ || std::ranges::binary_search(classes_, class_id);
}

}  // namespace shingle::drone
