#include "apps/gstreamer/found_masks.hpp"

#include <nlohmann/json.hpp>
#include <optional>

namespace shingle::gst {
namespace {

using Json = nlohmann::json;

constexpr int64_t longest_side = 65'536, most_pixels = int64_t{1} << 28;

std::optional<int64_t> number_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

// What `place` and the object's sides say, without pixels. None: it has no sides, or wrong ones.
std::optional<FoundMask> frame_of(const Json& object, int32_t box) {
  const auto width = number_of(object, "w"), height = number_of(object, "h");
  const auto fits = [](const std::optional<int64_t>& side) {
    return side && *side >= 1 && *side <= longest_side;
  };
  if (!fits(width) || !fits(height) || *width * *height > most_pixels) return std::nullopt;
  FoundMask mask{.box = box};
  mask.width = static_cast<int32_t>(*width);
  mask.height = static_cast<int32_t>(*height);
  const int64_t x = number_of(object, "x").value_or(0), y = number_of(object, "y").value_or(0);
  if (std::abs(x) > longest_side || std::abs(y) > longest_side) return std::nullopt;
  mask.x = static_cast<int32_t>(x);
  mask.y = static_cast<int32_t>(y);
  return mask;
}

// Appends `length` pixels; false: that is too many, or the value does not fit.
bool append_run(FoundMask& mask, size_t all, int64_t value, int64_t length) {
  if (value < 0 || value > 255 || length < 0) return false;
  if (static_cast<uint64_t>(length) > all - mask.pixels.size()) return false;
  mask.pixels.insert(mask.pixels.end(), static_cast<size_t>(length), static_cast<uint8_t>(value));
  return true;
}

// Of a box: lengths, outside and inside in turn. Of a map: a class and a length in turn.
bool fill(FoundMask& mask, const Json& runs) {
  const bool is_map = mask.box == whole_picture;
  const size_t all = static_cast<size_t>(mask.width) * static_cast<size_t>(mask.height);
  if (!runs.is_array() || (is_map && runs.size() % 2 != 0)) return false;
  mask.pixels.reserve(all);
  for (size_t i = 0; i < runs.size(); i += is_map ? 2 : 1) {
    const Json& length = runs[is_map ? i + 1 : i];
    if (!length.is_number_integer() || !runs[i].is_number_integer()) return false;
    const int64_t value = is_map ? runs[i].get<int64_t>() : static_cast<int64_t>(i % 2);
    if (!append_run(mask, all, value, length.get<int64_t>())) return false;
  }
  return mask.pixels.size() == all;
}

void add_mask(const Json& holder, int32_t box, std::vector<FoundMask>& masks) {
  const auto object = holder.find("mask");
  if (object == holder.end() || !object->is_object()) return;
  const auto runs = object->find("runs");
  auto mask = frame_of(*object, box);
  if (mask && runs != object->end() && fill(*mask, *runs)) masks.push_back(std::move(*mask));
}

}  // namespace

std::vector<FoundMask> masks_of(std::string_view findings) {
  std::vector<FoundMask> masks;
  if (findings.find("\"mask\"") == std::string_view::npos) return masks;  // most models have none
  const Json found = Json::parse(findings, nullptr, false);
  if (!found.is_object()) return masks;
  add_mask(found, whole_picture, masks);
  const auto boxes = found.find("boxes");
  if (boxes == found.end() || !boxes->is_array()) return masks;
  for (size_t i = 0; i < boxes->size(); ++i)
    if ((*boxes)[i].is_object()) add_mask((*boxes)[i], static_cast<int32_t>(i), masks);
  return masks;
}

}  // namespace shingle::gst
