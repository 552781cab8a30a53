// The classes of the COCO data set in the order in which its detectors number them.
#include <array>

#include "apps/detection.hpp"

namespace shingle {
namespace {

constexpr std::array<const char*, 80> names{"person",        "bicycle",      "car",
                                            "motorcycle",    "airplane",     "bus",
                                            "train",         "truck",        "boat",
                                            "traffic light", "fire hydrant", "stop sign",
                                            "parking meter", "bench",        "bird",
                                            "cat",           "dog",          "horse",
                                            "sheep",         "cow",          "elephant",
                                            "bear",          "zebra",        "giraffe",
                                            "backpack",      "umbrella",     "handbag",
                                            "tie",           "suitcase",     "frisbee",
                                            "skis",          "snowboard",    "sports ball",
                                            "kite",          "baseball bat", "baseball glove",
                                            "skateboard",    "surfboard",    "tennis racket",
                                            "bottle",        "wine glass",   "cup",
                                            "fork",          "knife",        "spoon",
                                            "bowl",          "banana",       "apple",
                                            "sandwich",      "orange",       "broccoli",
                                            "carrot",        "hot dog",      "pizza",
                                            "donut",         "cake",         "chair",
                                            "couch",         "potted plant", "bed",
                                            "dining table",  "toilet",       "tv",
                                            "laptop",        "mouse",        "remote",
                                            "keyboard",      "cell phone",   "microwave",
                                            "oven",          "toaster",      "sink",
                                            "refrigerator",  "book",         "clock",
                                            "vase",          "scissors",     "teddy bear",
                                            "hair drier",    "toothbrush"};

}  // namespace

std::string coco_name(int class_id) {
  if (class_id < 0 || static_cast<size_t>(class_id) >= names.size())
    return "class " + std::to_string(class_id);
  return names[static_cast<size_t>(class_id)];
}

}  // namespace shingle
