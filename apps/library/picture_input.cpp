#include "apps/library/picture_input.hpp"

#include <cassert>

#include "apps/library/sized_struct.hpp"
#include "apps/pictures/image_bytes.hpp"

namespace shingle {
namespace {

constexpr int32_t longest_side = 65'536;

// The bytes from the first pixel to the last.
int64_t reach_of(const shingle_picture& picture, int64_t row) {
  return int64_t{picture.height - 1} * picture.row_bytes + row;
}

Result<PictureView> view_of(const shingle_picture& picture) {
  if (picture.format != SHINGLE_BGR && picture.format != SHINGLE_RGB &&
      picture.format != SHINGLE_GREY)
    return usage_error("format is " + std::to_string(picture.format) +
                       "; it may be SHINGLE_BGR, SHINGLE_RGB or SHINGLE_GREY");
  const auto fits = [](int32_t side) { return side >= 1 && side <= longest_side; };
  if (!fits(picture.width) || !fits(picture.height))
    return usage_error("it is " + std::to_string(picture.width) + " x " +
                       std::to_string(picture.height) + " pixels; sides may be 1 to " +
                       std::to_string(longest_side));
  if (picture.data == nullptr) return usage_error("its data are null");
  const int32_t channels = picture.format == SHINGLE_GREY ? 1 : 3;
  const int64_t row = int64_t{picture.width} * channels;
  shingle_picture packed = picture;
  if (packed.row_bytes == 0) packed.row_bytes = row;
  constexpr int64_t longest_row = int64_t{1} << 32;
  if (packed.row_bytes < row || packed.row_bytes > longest_row)
    return usage_error("row_bytes is " + std::to_string(picture.row_bytes) + ", and a row has " +
                       std::to_string(row) + " bytes");
  const auto reach = static_cast<uint64_t>(reach_of(packed, row));
  if (reach > picture.size)
    return usage_error("its rows need " + std::to_string(reach) + " bytes, and size says " +
                       std::to_string(picture.size));
  return PictureView{.pixels = static_cast<const uint8_t*>(picture.data),
                     .size = {picture.width, picture.height},
                     .channels = channels,
                     .row_bytes = static_cast<ptrdiff_t>(packed.row_bytes),
                     .order = picture.format == SHINGLE_RGB ? ColourOrder::rgb : ColourOrder::bgr};
}

}  // namespace

Result<PictureInput> read_picture(const OpenedModel& opened, const shingle_picture* given) {
  assert(opened.pictures);
  const auto picture = read_struct(given, "shingle_picture", sizeof(shingle_picture));
  if (!picture) return picture.failure();
  const auto view = view_of(*picture);
  if (!view) return usage_error("the picture: " + view.error());
  const auto shared = [](std::vector<std::byte> bytes) {
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  };
  const PictureUse& use = *opened.pictures;
  const Model& model = opened.file->model;
  const Preparation& preparation = use.reading.preparation;
  const Shape shape = model.at(model.inputs[use.picture]).shape;
  std::vector<FrameInputs::Bytes> inputs(model.inputs.size());
  inputs[use.picture] = shared(image_bytes(*view, preparation, shape));
  if (use.size)
    inputs[*use.size] = shared(size_bytes(place(preparation.fit, view->size, shape), shape));
  return PictureInput{.inputs = FrameInputs(std::move(inputs)), .size = view->size};
}

}  // namespace shingle
