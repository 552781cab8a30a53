#include "tests/conformance/expected.hpp"

namespace shingle::conformance {

namespace {

struct Expected {
  std::string_view folder, name, reason;
};

constexpr std::string_view training =
    "training: shingle runs networks that are trained, so statistics are constants";
constexpr std::string_view random =
    "training: which elements are dropped depends on another library's random numbers";
constexpr std::string_view fractional =
    "the test aligns corners to the size before it is rounded down, ONNX's text to the output's";
constexpr std::string_view no_elements = "a tensor without elements is no feature map";

constexpr Expected list[] = {
    {"node", "test_batchnorm_epsilon_training_mode", training},
    {"node", "test_batchnorm_example_training_mode", training},
    {"node", "test_training_dropout", random},
    {"node", "test_training_dropout_default", random},
    {"node", "test_reduce_l1_empty_set_expanded", no_elements},
    {"node", "test_reduce_max_empty_set", no_elements},
    {"node", "test_reduce_sum_empty_set", no_elements},
    {"node", "test_reduce_sum_empty_set_non_reduced_axis_zero", no_elements},
    {"node", "test_reduce_sum_square_empty_set_expanded", no_elements},
    {"node", "test_reshape_allowzero_reordered", no_elements},
    {"node", "test_resize_downsample_scales_cubic_align_corners", fractional},
    {"node", "test_resize_downsample_scales_linear_align_corners", fractional},
    {"node", "test_slice_start_out_of_bounds", no_elements},
    {"node", "test_split_zero_size_splits", no_elements},
    {"node", "test_split_zero_size_splits_opset13", no_elements},
    {"node", "test_split_zero_size_splits_opset18", no_elements},
};

}  // namespace

std::optional<std::string_view> expected_failure(std::string_view folder, std::string_view name) {
  for (const Expected& expected : list) {
    if (expected.folder == folder && expected.name == name) return expected.reason;
  }
  return std::nullopt;
}

}  // namespace shingle::conformance
