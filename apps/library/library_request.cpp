#include "apps/library/library_request.hpp"

#include <algorithm>
#include <cassert>

#include "apps/findings/frame_result.hpp"

namespace shingle {
namespace {

// The boxes of a finding; none: it is of another kind.
struct BoxesOf {
  using Found = std::optional<Detections>;

  template <class T>
  Found operator()(const T&) const {
    return std::nullopt;
  }
  Found operator()(const Detections& found) const { return found; }
  Found operator()(const Instances& found) const { return all_of(found); }
  Found operator()(const BodyPoses& found) const { return all_of(found); }
  Found operator()(const TurnedBoxes& found) const {
    Detections boxes;
    for (const TurnedBox& each : found) boxes.push_back(around(each));
    return boxes;
  }

  template <class T>
  static Detections all_of(const std::vector<T>& found) {
    Detections boxes;
    for (const T& each : found) boxes.push_back(each.detection);
    return boxes;
  }

  static Detection around(const TurnedBox& turned) {
    const auto corners = corners_of(turned);
    const auto [left, right] = std::ranges::minmax(corners, {}, &PixelPoint::x);
    const auto [top, bottom] = std::ranges::minmax(corners, {}, &PixelPoint::y);
    return {.class_id = turned.class_id,
            .score = turned.score,
            .box = {.x = static_cast<float>(left.x),
                    .y = static_cast<float>(top.y),
                    .w = static_cast<float>(right.x - left.x),
                    .h = static_cast<float>(bottom.y - top.y)}};
  }
};

}  // namespace

const std::vector<std::vector<float>>& LibraryRequest::ordered() {
  assert(request_->end.code == SHINGLE_OK);
  if (!ordered_.empty()) return ordered_;
  std::vector<std::vector<float>> ordered;  // memory may end half way
  for (size_t i = 0; i < request_->outputs.size(); ++i) {
    const std::vector<std::byte>& bytes = request_->outputs[i];
    const std::span box(reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float));
    const ModelOutput& output = model().outputs[i];
    ordered.push_back(in_file_order(output, model().at(output.tensor).shape, box));
  }
  return ordered_ = std::move(ordered);
}

const std::vector<OutputValue>& LibraryRequest::values() {
  const std::lock_guard lock(mutex_);
  if (values_.empty()) values_ = cut_to_counts(model(), ordered());
  return values_;
}

Status LibraryRequest::read_finding() {
  if (!picture_)
    return usage_error(
        "nothing was found, as tensors were submitted and no picture: open the session with the "
        "option 'pictures', and submit pictures");
  const PictureUse& use = *model_->pictures;
  if (!finding_) finding_ = read(use.reading, use.thresholds, ordered(), *picture_);
  return success();
}

Result<const char*> LibraryRequest::findings() {
  const std::lock_guard lock(mutex_);
  if (const Status read = read_finding(); !read) return read.failure();
  if (json_.empty()) {
    json_ = json_line({.frame = request_->number,
                       .name = {},
                       .milliseconds = static_cast<double>(request_->took.count()) / 1e6,
                       .finding = *finding_},
                      model_->pictures->reading.names);
    json_.pop_back();  // the newline
  }
  return json_.c_str();
}

Result<std::span<const shingle_box>> LibraryRequest::boxes() {
  const std::lock_guard lock(mutex_);
  if (const Status read = read_finding(); !read) return read.failure();
  const PictureUse& use = *model_->pictures;
  const auto found = std::visit(BoxesOf{}, *finding_);
  if (!found)
    return usage_error("the model's head, '" + std::string(use.reading.head->name) +
                       "', finds no boxes: ask for the findings or the outputs");
  if (box_names_) return std::span<const shingle_box>(boxes_);
  std::vector<std::string> names;  // memory may end half way
  std::vector<shingle_box> boxes;
  for (const Detection& each : *found)
    names.push_back(name_of_class(use.reading.names, each.class_id));
  for (size_t i = 0; i < found->size(); ++i) {
    const Detection& each = (*found)[i];
    boxes.push_back({.x0 = each.box.x,
                     .y0 = each.box.y,
                     .x1 = each.box.x + each.box.w,
                     .y1 = each.box.y + each.box.h,
                     .score = each.score,
                     .class_id = each.class_id,
                     .class_name = names[i].c_str()});
  }
  boxes_ = std::move(boxes);
  box_names_ = std::move(names);  // the strings stay where they are
  return std::span<const shingle_box>(boxes_);
}

}  // namespace shingle
