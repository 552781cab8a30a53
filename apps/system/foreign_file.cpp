// Recognises files of other formats. The signatures come from the formats' own descriptions. The
// content decides; the ending of the name counts only where the content tells nothing.
#include "apps/system/foreign_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "devices/weights/mapped_file.hpp"

namespace shingle {
namespace {

using namespace std::string_view_literals;

constexpr size_t looked_at = 64 << 10;

struct Signature {
  size_t at;
  std::string_view bytes;
  const char* says;
};

constexpr const char* picture = "is a picture, not a model; MODEL comes first, then INPUT";
constexpr const char* video = "is a video, not a model; MODEL comes first, then INPUT";
constexpr const char* tensorflow_lite =
    "is a TensorFlow Lite model; export the one that it was made from to ONNX, or convert it: "
    "python -m tf2onnx.convert --tflite FILE --output model.onnx --opset 17";
constexpr const char* keras =
    "is a Keras model; convert it to ONNX: python -m tf2onnx.convert --keras FILE --output "
    "model.onnx --opset 17";
constexpr const char* tensorflow =
    "is a TensorFlow model; convert its folder to ONNX: python -m tf2onnx.convert --saved-model "
    "FOLDER --output model.onnx --opset 17";
constexpr const char* pytorch =
    "is a PyTorch file; export the model to ONNX: torch.onnx.export(model, torch.zeros(1, 3, 640, "
    "640), 'model.onnx', opset_version=17), or, of Ultralytics, yolo export model=FILE format=onnx "
    "opset=17";
constexpr const char* tensorrt =
    "is a TensorRT engine, which only the GPU that it was built for can run; take the ONNX file "
    "that it was built from";
constexpr const char* safetensors =
    "is a safetensors file: weights without the network; export the model to ONNX with what "
    "trained it";
constexpr const char* ncnn =
    "is an ncnn network; take the ONNX file that it was converted from, or export that anew";
constexpr const char* openvino =
    "is an OpenVINO network; take the ONNX file that it was converted from, or export that anew";
constexpr const char* caffe =
    "is a Caffe file; convert the network to ONNX, or take its Darknet or ONNX version";
constexpr const char* core_ml = "is a Core ML model; export the one that it was made from to ONNX";
constexpr const char* ort =
    "is a model in ONNX Runtime's own format; take the .onnx file that it was made from";
constexpr const char* packed_file = "is a packed file; unpack it and name the .onnx file in it";
constexpr const char* lfs =
    "is a Git LFS pointer, not the file itself; fetch that with 'git lfs pull'";
constexpr const char* web_page =
    "is a web page, not the file itself; download it anew by its direct link (for one on GitHub: "
    "the button 'Download raw file')";

constexpr std::array signatures{
    Signature{0, "version https://git-lfs"sv, lfs},
    Signature{0, "\x1f\x8b"sv, "is compressed by gzip; unpack it: gunzip FILE, or tar -xzf FILE"},
    Signature{0,
              "\xfd"
              "7zXZ\0"sv,
              "is compressed by xz; unpack it: unxz FILE, or tar -xJf FILE"},
    Signature{0, "BZh"sv, "is compressed by bzip2; unpack it: bunzip2 FILE, or tar -xjf FILE"},
    Signature{0, "\x28\xb5\x2f\xfd"sv, "is compressed by zstd; unpack it: unzstd FILE"},
    Signature{0, "7z\xbc\xaf\x27\x1c"sv, packed_file},
    Signature{0, "Rar!\x1a\x07"sv, packed_file},
    Signature{257, "ustar"sv, "is a tar archive; unpack it: tar -xf FILE"},
    Signature{0, "\x89HDF\r\n\x1a\n"sv, keras},
    Signature{4, "TFL3"sv, tensorflow_lite},
    Signature{4, "ORTM"sv, ort},
    Signature{0, "ftrt"sv, tensorrt},
    Signature{0, "ptrt"sv, tensorrt},
    Signature{0, "\x80\x02"sv, pytorch},
    Signature{0, "\x80\x03"sv, pytorch},
    Signature{0, "\x80\x04"sv, pytorch},
    Signature{0, "7767517\n"sv, ncnn},
    Signature{0, "7767517\r"sv, ncnn},
    Signature{0, "\xff\xd8\xff"sv, picture},
    Signature{0, "\x89PNG\r\n\x1a\n"sv, picture},
    Signature{0, "GIF8"sv, picture},
    Signature{8, "WEBP"sv, picture},
    Signature{0, "II*\0"sv, picture},
    Signature{0, "MM\0*"sv, picture},
    Signature{4, "ftyp"sv, video},
    Signature{8, "AVI "sv, video},
    Signature{0, "\x1a\x45\xdf\xa3"sv, video},
    Signature{0, "\x93NUMPY"sv,
              "is a numpy array, not a model; name an ONNX file or a Darknet .cfg"},
    Signature{0, "%PDF"sv, "is a PDF, not a model; name an ONNX file or a Darknet .cfg"},
    Signature{0,
              "\x7f"
              "ELF"sv,
              "is a program, not a model; name an ONNX file or a Darknet .cfg"},
};

struct Ending {
  std::string_view ending;
  const char* says;
};

constexpr std::array endings{
    Ending{".pt", pytorch},
    Ending{".pth", pytorch},
    Ending{".ckpt", pytorch},
    Ending{".tflite", tensorflow_lite},
    Ending{".pb", tensorflow},
    Ending{".h5", keras},
    Ending{".keras", keras},
    Ending{".engine", tensorrt},
    Ending{".trt", tensorrt},
    Ending{".plan",
           "is a plan, not a model; name it after the model: shingle run MODEL INPUT --plan FILE"},
    Ending{".safetensors", safetensors},
    Ending{".param", ncnn},
    Ending{".mlmodel", core_ml},
    Ending{".caffemodel", caffe},
    Ending{".prototxt", caffe},
    Ending{".ort", ort},
    Ending{".pdmodel",
           "is a PaddlePaddle model; convert it to ONNX: paddle2onnx --model_dir FOLDER "
           "--model_filename FILE --save_file model.onnx --opset_version 13"},
};

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The text in lower case, without a byte order mark and leading blanks.
std::string beginning_of_text(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  std::string small(text.substr(0, 4096));
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return small;
}

const char* by_signature(std::string_view head) {
  for (const Signature& one : signatures)
    if (head.size() >= one.at && head.substr(one.at).starts_with(one.bytes)) return one.says;
  return nullptr;
}

// Looks for names of files inside a zip archive, where they are stored as plain text: PyTorch's and
// Keras' files are zip archives.
const char* by_zip(std::string_view head) {
  if (!head.starts_with("PK\x03\x04"sv)) return nullptr;
  if (holds(head, "/data.pkl") || holds(head, "/constants.pkl") || holds(head, "/byteorder"))
    return pytorch;
  if (holds(head, "model.weights.h5") || holds(head, "metadata.json")) return keras;
  return "is a zip archive; unpack it, and name the .onnx file in it";
}

// A safetensors file begins with the length of its JSON header in 8 bytes, then the header.
const char* by_safetensors(std::string_view head) {
  if (head.size() < 10 || head[8] != '{' || head[9] != '"') return nullptr;
  for (size_t i = 5; i < 8; ++i)
    if (head[i] != '\0') return nullptr;
  return holds(head, "\"data_offsets\"") || holds(head, "\"dtype\"") ? safetensors : nullptr;
}

const char* by_text(std::string_view head, const std::string& path = {}) {
  const std::string text = beginning_of_text(head);
  if (text.starts_with("<!doctype html") || text.starts_with("<html") || holds(text, "<head>"))
    return web_page;
  if (text.starts_with("<?xml") || text.starts_with("<net "))
    return holds(text, "<net ") ? openvino : "is XML, not a model; name an ONNX file";
  const bool darknet = text.starts_with("[net]") || text.starts_with("[network]");
  if (darknet && !path.ends_with(".cfg"))
    return "is a Darknet .cfg by its content; name it NAME.cfg, with NAME.weights beside it";
  if (text.starts_with("shingle plan 1"))
    return "is a plan, not a model; name it after the model: shingle run MODEL INPUT --plan FILE";
  if (text.starts_with("{\"") || text.starts_with("{\n"))
    return "is JSON, not a model; name an ONNX file or a Darknet .cfg";
  return nullptr;
}

const char* by_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const Ending& one : endings)
    if (one.ending == ending) return one.says;
  return nullptr;
}

std::string_view head_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), looked_at)};
}

// Puts the file's own name where the advice says FILE.
std::string spelled(std::string sentence, const std::string& path) {
  constexpr std::string_view word = "FILE";
  const std::string name = std::filesystem::path(path).filename().string();
  for (size_t at = sentence.find(word); at != std::string::npos;
       at = sentence.find(word, at + name.size()))
    sentence.replace(at, word.size(), name);
  return sentence;
}

}  // namespace

std::optional<std::string> foreign_file(const std::string& path, std::span<const std::byte> bytes) {
  const std::string_view head = head_of(bytes);
  for (const char* says : {by_signature(head), by_zip(head), by_safetensors(head),
                           by_text(head, path), by_ending(path)})
    if (says != nullptr) return spelled(says, path);
  return std::nullopt;
}

std::optional<std::string> foreign_media(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return std::nullopt;
  const std::string_view head = head_of(file->bytes());
  if (by_signature(head) == lfs) return lfs;
  if (by_text(head) == web_page) return web_page;
  return std::nullopt;
}

}  // namespace shingle
