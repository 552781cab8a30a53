// The original U-Net on a picture of 1920x1080 in little memory: what only a process of its own can
// show.
#pragma once

#include "bench/engine_alone.hpp"

namespace shingle::bench {

// Rows are made up to a multiple of 16, which the network halves four times.
inline constexpr int32_t unet_height = 1088, unet_width = 1920;

// Five tiles side by side: at full width the rows that strips keep would be twice too many.
inline std::vector<TileProgram> unet_tiles(const Model& model) {
  constexpr int32_t columns = 5;
  const TensorId output = model.outputs[0].tensor;
  const Shape shape = model.at(output).shape;
  std::vector<TileProgram> tiles;
  for (int32_t i = 0; i < columns; ++i) {
    Region part = whole(shape);
    part.x = {shape.w / 16 * i / columns * 16, shape.w / 16 * (i + 1) / columns * 16};
    tiles.push_back(tile_program(model, whole_block(model), {{output, part}}));
  }
  return tiles;
}

// Opens the file, lets it take bytes, computes one frame; prints its seconds and the most memory
// held.
inline int run_unet_alone(const std::string& path) {
  ModelFile file = must(open_model(path));
  take_image(file.model, std::vector<float>(3, 1.0F / 255.0F), std::vector<float>(3, 0.0F));
  const std::vector<TileProgram> tiles = unet_tiles(file.model);
  NativeExecutor executor({.threads = 1, .transformed_bytes = 0});
  must(executor.prepare(file.model, tiles));
  const Shape in = file.model.at(file.model.inputs[0]).shape;
  const Shape out = file.model.at(file.model.outputs[0].tensor).shape;
  const std::vector<std::byte> picture(static_cast<size_t>(in.elements()), std::byte{100});
  std::vector<float> classes(static_cast<size_t>(out.elements()));
  const ConstTensorView seen{picture.data(), whole(in), ElementType::u8};
  const TensorView written{reinterpret_cast<std::byte*>(classes.data()), whole(out),
                           ElementType::f32};
  const double frame = seconds([&] {
    for (const TileProgram& tile : tiles)
      must(executor.compute(tile, std::span(&seen, 1), std::span(&written, 1)));
  });
  std::printf("%.6f %.3f\n", frame, peak_resident_mb());
  return 0;
}

// The same in a child process of this program.
inline Alone unet_alone(const std::string& program, const std::string& folder) {
  const std::string path = folder + "/unet_1080p.onnx";
  std::ofstream(path, std::ios::binary)
      << networks::to_onnx(networks::original_unet(unet_height, unet_width));
  const Alone result = child("'" + program + "' --alone-unet '" + path + "'");
  std::filesystem::remove(path);
  return result;
}

}  // namespace shingle::bench
