// What people do first: the wrong file, a model of no fixed size, weights in a file of their own, a
// folder in which one picture is broken.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "apps/heads/usual_size.hpp"
#include "apps/models/model_file.hpp"
#include "apps/models/model_store.hpp"
#include "apps/models/take_picture.hpp"
#include "apps/system/file_below.hpp"
#include "apps/system/foreign_file.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using namespace std::string_literals;
using networks::OnnxGraph;
using Json = nlohmann::json;
using Dims = std::vector<int64_t>;

namespace {

std::vector<float> weights_of(size_t count, uint64_t seed) {
  networks::Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.between(-100, 100)) / 400.0F;
  return values;
}

// Three convolutions; weights of the second lie in `place` if that names a file.
std::string convolutions(const std::vector<std::string>& input,
                         const OnnxGraph::Place& place = {}) {
  OnnxGraph graph;
  graph.open_input("images", input);
  const auto conv = [&](const std::string& from, const std::string& weights, int64_t stride,
                        const std::string& to) {
    return graph.node("Conv", {from, weights},
                      {{"pads", Dims{1, 1, 1, 1}}, {"strides", Dims{stride, stride}}}, to);
  };
  const std::string first =
      conv("images", graph.floats({8, 3, 3, 3}, weights_of(216, 1)), 2, "first");
  const std::string weights = place.location.empty()
                                  ? graph.floats({8, 8, 3, 3}, weights_of(576, 2))
                                  : graph.external({8, 8, 3, 3}, place);
  const std::string second = conv(graph.node("Relu", {first}), weights, 1, "second");
  conv(graph.node("Relu", {second}), graph.floats({4, 8, 3, 3}, weights_of(288, 3)), 1, "out");
  graph.output("out", {});
  return graph.file();
}

std::string text_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string refusal(const std::string& path, OnnxOptions options = {}) {
  options.advice = usual_shape;
  const auto opened = open_model(path, options);
  return opened.ok() ? "it was read" : opened.error();
}

// Runs on four workers by a plan that has tiles for each; the summary.
Json run_on_four(const ScratchFolder& folder, const std::string& model,
                 const std::vector<std::string>& more) {
  std::vector<std::string> plan{"plan",   model, "--nodes", "4",
                                "--grid", "2x4", "--out",   folder / "four.plan"};
  plan.insert(plan.end(), more.begin(), more.end());
  Program planned(plan);
  REQUIRE_MESSAGE(planned.end() == "exit code 0", planned.err());
  Program run({"run", model, image_in(folder), "--plan", folder / "four.plan", "--workers", "4",
               "--verify", "--json"});
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  return Json::parse(run.out_lines().back());
}

void check_four(const Json& summary) {
  CHECK(summary["identical"] == true);
  REQUIRE(summary["tiles_per_node"].size() == 4);
  uint64_t tiles = 0;
  for (const auto& count : summary["tiles_per_node"]) tiles += count.get<uint64_t>();
  CHECK(tiles >= 8);
}

std::string zip_of(const std::string& name) {
  return "PK\x03\x04"s + std::string(22, '\0') + static_cast<char>(name.size()) +
         std::string(3, '\0') + name + "...";
}

}  // namespace

TEST_CASE("a file that is no model is told what it is and what to do") {
  struct Case {
    const char* name;
    std::string content, what, advice;
  };
  const std::string tensors =
      "\x40\0\0\0\0\0\0\0"s + R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const ScratchFolder folder;
  for (const Case& one : std::vector<Case>{
           {"lfs.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
            "is a Git LFS pointer", "git lfs pull"},
           {"page.onnx", "\n<!DOCTYPE html>\n<html><head>", "is a web page", "download it anew"},
           {"m.onnx.gz", "\x1f\x8b\x08\0\0\0"s, "compressed by gzip", "gunzip m.onnx.gz"},
           {"m.zip", zip_of("m.onnx"), "is a zip archive", "unpack it"},
           {"yolo.pt", zip_of("yolo/data.pkl"), "is a PyTorch file", "model=yolo.pt format=onnx"},
           {"old.pth", "\x80\x02\x8a\nl"s, "is a PyTorch file", "torch.onnx.export"},
           {"m.tflite", "\x1c\0\0\0TFL3"s, "TensorFlow Lite", "tf2onnx.convert --tflite m.tflite"},
           {"m.engine", "ftrt\0\0"s, "TensorRT engine", "take the ONNX file"},
           {"m.safetensors", tensors, "is a safetensors file", "export the model to ONNX"},
           {"m.h5", "\x89HDF\r\n\x1a\n"s, "is a Keras model", "tf2onnx.convert --keras m.h5"},
           {"m.param", "7767517\n75 83\n", "is an ncnn network", "take the ONNX file"},
           {"m.xml", "<?xml version=\"1.0\"?>\n<net name=\"a\" version=\"11\">", "OpenVINO",
            "ONNX"},
           {"p.jpg", "\xff\xd8\xff\xe0"s, "is a picture", "MODEL comes first"},
           {"p.png", "\x89PNG\r\n\x1a\n"s, "is a picture", "MODEL comes first"},
           {"v.mp4", "\0\0\0\x20"s + "ftypisom", "is a video", "MODEL comes first"},
           {"net.onnx", "[net]\nwidth=416\n", "is a Darknet .cfg", "NAME.weights"},
           {"saved_model.pb", "\x08\x01\x12"s, "is a TensorFlow model", "--saved-model"}}) {
    const std::string path = folder.with_text(one.name, one.content);
    const std::string sentence = refusal(path);
    CAPTURE(sentence);
    CHECK(sentence.starts_with("cannot take '" + path + "': it "));
    CHECK(has(sentence, one.what));
    CHECK(has(sentence, one.advice));
    CHECK(std::ranges::count(sentence, '\n') == 0);
  }
  folder.with_text("a.weights", "version https://git-lfs.github.com/spec/v1\n");
  const std::string cfg = folder.with_text("a.cfg", "[net]\nwidth=32\nheight=32\nchannels=3\n");
  CHECK(has(refusal(cfg), "a.weights': it is a Git LFS pointer"));
  Program swapped({"run", image_in(folder), folder / "yolo.pt"});
  check_refusal(swapped, "exit code 3", "MODEL comes first, then INPUT");
}

TEST_CASE("a model of no fixed size says how to give one, and which is usual") {
  const ScratchFolder folder;
  const std::string open =
      folder.with_text("m.onnx", convolutions({"batch", "3", "height", "width"}));
  CHECK(has(refusal(open), "how much 'height' is; set it with --shape, such as --shape 1x3x"));

  OnnxGraph graph;  // a classifier of a thousand classes
  graph.open_input("x", {"n", "3", "h", "w"});
  const std::string mean = graph.node("GlobalAveragePool", {"x"});
  const std::string flat = graph.node("Flatten", {mean});
  graph.node("MatMul", {flat, graph.floats({3, 1000}, weights_of(3000, 1))}, {}, "out");
  graph.output("out", {});
  CHECK(has(refusal(folder.with_text("c.onnx", graph.file())),
            "--shape 1x3x224x224 (what classification usually takes)"));
  graph.metadata("imgsz", "[480, 640]");
  CHECK(has(refusal(folder.with_text("d.onnx", graph.file())),
            "--shape 1x3x480x640 (what it was exported for)"));
  OnnxGraph strange;  // not the size is in the way
  strange.open_input("x", {"n", "3", "h", "w"});
  strange.node("Relu", {"x"}, {}, "out");
  strange.output("out", {});
  CHECK(has(refusal(folder.with_text("s.onnx", strange.file(99))), "opset 99"));
  CHECK_FALSE(has(refusal(folder / "s.onnx"), "--shape"));
  const std::string junk = folder.with_text("x.onnx", "this is no model at all");
  CHECK_FALSE(has(refusal(junk), "--shape"));
}

TEST_CASE("every verb that takes a model takes its size, and refuses one that is none or unfit") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("m.onnx", convolutions({"batch", "3", "height", "width"}));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"model", model},
                                                {"model", "check", model},
                                                {"plan", model},
                                                {"verify", model, "--against", "native"},
                                                {"compile", model, "-o", folder / "m.shingle"}}) {
    std::vector<std::string> sized = words;
    sized.insert(sized.end(), {"--shape", "1x3x24x40"});
    Program program(sized);
    CHECK_MESSAGE(program.end() == "exit code 0", program.err());
  }
  CHECK(open_model(folder / "m.shingle")->model.sized->shapes == InputShapes{{1, 3, 24, 40}});
  CHECK(has(refusal(folder / "m.shingle", {.shapes = {{1, 3, 24, 24}}}),
            "it was compiled for --shape 1x3x24x40"));
  Program none({"model", model, "--shape", "480by640"});
  check_refusal(none, "exit code 2", "'480by640' is not a shape");
  Program unfit({"model", model, "--shape", "1x4x24x40"});
  check_refusal(unfit, "exit code 3", "1x4x24x40 does not fit: dimension 1 is 3");
}

TEST_CASE("a model of no fixed size runs on four nodes, which know its size by the plan alone") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("m.onnx", convolutions({"batch", "3", "height", "width"}));
  check_four(run_on_four(folder, model, {"--shape", "1x3x64x96"}));
  CHECK(has(contents(folder / "four.plan"), " 1x3x64x96\n"));
  Program other({"run", model, image_in(folder), "--plan", folder / "four.plan", "--shape",
                 "1x3x96x64", "--workers", "1"});
  check_refusal(other, "exit code 3", "does not fit");
}

TEST_CASE(
    "a model is found by its file's hash for any size, and sizes that do not fit are refused") {
  const ScratchFolder folder;
  const std::string bytes = convolutions({"batch", "3", "height", "width"});
  const std::string path = folder.with_text("m.onnx", bytes);
  ModelStore store({folder.path()});
  for (const InputShapes& shapes : {InputShapes{{1, 3, 32, 32}}, InputShapes{{1, 3, 16, 48}}}) {
    auto owners = open_model(path, {.shapes = shapes});
    REQUIRE(take_picture(owners->model, Preparation{}).ok());
    const auto found = store.find(name_of(owners->model));
    REQUIRE_MESSAGE(found.ok(), found.error());
    CHECK(found.value()->hash == owners->model.hash);
    ModelName lying = name_of(owners->model);
    lying.sized->shapes[0][3] += 1;
    CHECK_FALSE(store.find(lying).ok());
    lying.sized->shapes[0] = {1, 5};
    CHECK(has(store.find(lying).error(), "has 4 dimensions"));
  }
}

TEST_CASE("weights in a file beside the model are read on four nodes, and are part of its name") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "data");
  const std::string weights = "padding." + text_of(weights_of(576, 2));
  folder.with_text("data/w.bin", weights);
  const std::string model =
      folder.with_text("m.onnx", convolutions({"1", "3", "64", "96"}, {"data/w.bin", "8", "2304"}));
  const std::string whole = folder.with_text("whole.onnx", convolutions({"1", "3", "64", "96"}));
  check_four(run_on_four(folder, model, {}));
  const auto opened = open_model(model), same = open_model(whole);
  REQUIRE_MESSAGE(opened.ok(), opened.error());
  CHECK(structural_hash(opened->model) == structural_hash(same->model));
  Program compiled({"compile", model, "-o", folder / "m.shingle", "--head", "raw"});
  REQUIRE_MESSAGE(compiled.end() == "exit code 0", compiled.err());
  Program run({"run", folder / "m.shingle", image_in(folder), "--workers", "1", "--verify"});
  CHECK_MESSAGE(run.end() == "exit code 0", run.err());

  const ModelName name = name_of(opened->model);
  ModelStore store({model});
  CHECK(store.find(name).ok());
  std::string changed = weights;
  changed[100] = static_cast<char>(changed[100] ^ 1);
  folder.with_text("data/w.bin", changed);
  CHECK_FALSE(store.find(name).ok());
  std::filesystem::remove(folder / "data/w.bin");
  CHECK(has(store.find(name).error(), "w.bin': No such file or directory"));
  CHECK(has(refusal(model), "some of its weights are in a file of their own: cannot read '"));
}

TEST_CASE("a model makes nobody read what lies outside its folder") {
  const ScratchFolder outside, folder;
  const std::string weights = text_of(weights_of(576, 2));
  outside.with_text("secret", weights);
  std::filesystem::create_directory(folder / "data");
  REQUIRE(::symlink((outside / "secret").c_str(), (folder / "link").c_str()) == 0);
  REQUIRE(::symlink(outside.path().c_str(), (folder / "linked").c_str()) == 0);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const auto of = [&](const std::string& location) {
    return refusal(
        folder.with_text("m.onnx", convolutions({"1", "3", "8", "8"}, {location, "", ""})));
  };
  folder.with_text("data/w.bin", weights);
  CHECK(of("data/w.bin") == "it was read");
  CHECK(of("./data//w.bin") == "it was read");
  CHECK(has(of("link"), "it is, or lies behind, a symbolic link"));
  CHECK(has(of("linked/secret"), "it is, or lies behind, a symbolic link"));
  CHECK(has(of(outside / "secret"), "is not in the model's folder"));
  CHECK(has(of("../" + std::filesystem::path(outside.path()).filename().string() + "/secret"),
            "is not in the model's folder"));
  CHECK(has(of("data/../../x"), "is not in the model's folder"));
  CHECK(has(of("pipe"), "it is not a regular file"));
  CHECK(has(of("data"), "it is a folder"));
  CHECK(has(of("none"), "No such file or directory"));
  CHECK(has(of("data/w.bin/x"), "Not a directory"));
  CHECK(has(open_below(folder.path(), "data/../link").error(), "leads out of the folder"));
  CHECK(has(open_below(folder.path(), "/etc/hostname").error(), "not a file below that folder"));
}

TEST_CASE("constants that a file computes are bounded by what the user allows, not by its size") {
  const ScratchFolder folder;
  OnnxGraph graph;
  graph.open_input("x", {"1", "64", "8", "8"});
  const std::string weights = graph.node("ConstantOfShape", {graph.integers({2048, 64, 8, 8})});
  graph.node("Conv", {"x", weights}, {}, "out");  // 8 Mi weights, 32 MiB
  graph.output("out", {});
  const std::string model = folder.with_text("m.onnx", graph.file());
  CHECK(refusal(model) == "it was read");
  const std::string sentence = refusal(model, {.constant_bytes = 24 << 20});
  CHECK(has(sentence, "computes take more than 24 MiB; allow more with --max-constants"));
  Program refused({"model", model, "--max-constants", "24MiB"});
  check_refusal(refused, "exit code 3", "take more than 24 MiB");
  Program taken({"model", model, "--max-constants", "40MiB"});
  CHECK_MESSAGE(taken.end() == "exit code 0", taken.err());
  CHECK(usual_constant_bytes(64 << 20) == 32 << 20);
  CHECK(usual_constant_bytes() > usual_constant_bytes(64 << 20));
}

TEST_CASE("a folder with unreadable pictures goes on with the others, and says which it left out") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), photos = folder / "photos";
  std::filesystem::create_directory(photos);
  const std::string image = contents(image_in(folder));
  folder.with_text("photos/b.png", image);
  folder.with_text("photos/d.png", image);
  folder.with_text("photos/a.png", "this is no image");
  folder.with_text("photos/c.jpg", "version https://git-lfs.github.com/spec/v1\n");
  std::string huge = image;  // 2^31 - 1 pixels wide
  huge.replace(16, 4, "\x7f\xff\xff\xff");
  folder.with_text("photos/e.png", huge);
  Program run({"run", model, photos, "--workers", "1", "--json", "--out", folder / "out"});
  CHECK(run.end() == "exit code 1");
  const auto lines = run.out_lines();
  REQUIRE(lines.size() >= 3);
  CHECK(Json::parse(lines[0])["name"] == "b.png");
  CHECK(Json::parse(lines[1])["name"] == "d.png");
  CHECK(Json::parse(lines.back())["left_out"] == Json{"a.png", "c.jpg", "e.png"});
  CHECK(has(run.err(), "3 of 5 images could not be read and were left out: a.png, c.jpg, e.png"));
  CHECK(has(run.err(), "c.jpg' as an image: it is a Git LFS pointer"));
  CHECK(std::filesystem::exists(folder / "out/d.png"));
  std::filesystem::remove(photos + "/b.png");
  std::filesystem::remove(photos + "/d.png");
  Program none({"run", model, photos, "--workers", "1"});
  CHECK(none.end() == "exit code 3");
  CHECK(has(none.err(), "none of the 3 images in the folder '" + photos + "' can be read"));
}
