// Damaged or malicious Darknet files: each is refused with a sentence that names the place, quickly
// and with little memory, or read if it happens to be a sound model.
#include <doctest/doctest.h>

#include "partition/readers/darknet.hpp"
#include "tests/networks/darknet.hpp"

using namespace shingle;
using networks::DarknetFiles;
using networks::DarknetWriter;

namespace {

const std::string net = "[net]\nwidth=16\nheight=16\nchannels=4\n";
const std::string header("\0\0\0\0\2\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0", 20);

Result<DarknetModel> read(std::string_view cfg, std::string_view weights) {
  return read_darknet(cfg, std::as_bytes(std::span(weights)));
}

std::string refusal(std::string_view cfg, std::string_view weights = header) {
  const auto result = read(cfg, weights);
  return result.ok() ? "it was read" : result.error();
}

bool holds(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

void check_refusal(const std::string& cfg, const std::string& part) {
  CAPTURE(part);
  const std::string sentence = refusal(cfg);
  CHECK_MESSAGE(holds(sentence, part), sentence);
  CHECK(sentence.size() < 1000);
}

// A refusal is a sentence of bounded length; a model that was read is sound.
void check_outcome(std::string_view cfg, std::string_view weights) {
  const auto result = read(cfg, weights);
  if (result.ok()) {
    CHECK(defects(result->model).empty());
  } else {
    CHECK(result.error().size() > 10);
    CHECK(result.error().size() < 2000);
    CHECK(result.failure().kind == ErrorKind::bad_input);
  }
}

// A small network with a few sections of each kind.
DarknetFiles small_files() {
  DarknetWriter writer({16, 16, 3}, 9);
  writer.convolutional({.filters = 8});
  writer.maxpool(2, 2);
  writer.convolutional({.filters = 8, .groups = 2, .activation = "mish"});
  writer.shortcut(-2);
  writer.reorg(2);
  writer.convolutional({.filters = 8, .size = 1});
  writer.upsample(2);
  writer.route({-1, 3});
  writer.route({-1}, 2, 1);
  writer.convolutional({.filters = 21, .size = 1, .normalise = false, .activation = "linear"});
  writer.section("yolo", "mask=0,1,2\nanchors=1,2, 3,4, 5,6\nnum=3\nclasses=2");
  return std::move(writer).finish();
}

}  // namespace

TEST_CASE("A cfg cut off anywhere is refused or read, never worse") {
  const DarknetFiles files = small_files();
  for (size_t length = 0; length <= files.cfg.size(); ++length) {
    CAPTURE(length);
    check_outcome(std::string_view(files.cfg).substr(0, length), files.weights);
  }
  REQUIRE(read(files.cfg, files.weights).ok());
}

TEST_CASE("Files with bytes changed at random are refused or read, never worse") {
  const DarknetFiles files = small_files();
  int refused = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    std::string cfg = files.cfg, weights = files.weights;
    for (int32_t changes = random.between(1, 4); changes > 0; --changes) {
      const auto place = [&](const std::string& text) {
        return static_cast<size_t>(random.between(0, static_cast<int32_t>(text.size()) - 1));
      };
      constexpr std::string_view likely = "0123456789-,=[]#\n 9999";
      const size_t last = likely.size() - 1;
      cfg[place(cfg)] = likely[static_cast<size_t>(random.between(0, static_cast<int32_t>(last)))];
      if (random.chance(0.2)) cfg[place(cfg)] = static_cast<char>(random.next());
      if (random.chance(0.2)) weights[place(weights)] = static_cast<char>(random.next());
    }
    check_outcome(cfg, weights);
    refused += read(cfg, weights).ok() ? 0 : 1;
  }
  CHECK(refused > 1000);
}

TEST_CASE("Weights that are shorter or longer than the cfg needs are told by how many values") {
  const DarknetFiles files = small_files();
  const std::string& weights = files.weights;
  CHECK(holds(refusal(files.cfg, weights.substr(0, weights.size() - 12)), "3 values short of the"));
  CHECK(holds(refusal(files.cfg, weights.substr(0, 20)),
              "are " + std::to_string(weights.size() / 4 - 5) + " values short"));
  CHECK(holds(refusal(files.cfg, weights + "12345678"), "2 values longer than the"));
  CHECK(holds(refusal(files.cfg, weights + "123"), "3 bytes after the last whole one"));
  CHECK(holds(refusal(files.cfg, weights.substr(0, 7)), "less than a Darknet header"));
  CHECK(holds(refusal(files.cfg, weights.substr(0, 14)), "end within their header"));
  CHECK(holds(refusal(files.cfg, ""), "0 bytes long"));
  CHECK(holds(refusal(files.cfg, std::string(4000, 'x')), "no Darknet weights"));
}

TEST_CASE("What is no cfg at all is refused") {
  CHECK(holds(refusal(""), "holds no section"));
  CHECK(holds(refusal("a text, not a network"), "line 1 is neither a [section] nor an option"));
  CHECK(holds(refusal("width=3"), "line 1 stands before the first section"));
  CHECK(holds(refusal("[net\n"), "line 1 begins a section and does not end in ']'"));
  CHECK(holds(refusal(net + std::string(1, '\0')), "line 5 holds a NUL byte"));
  CHECK(holds(refusal(std::string(100'000, '\0')), "line 1 holds a NUL byte"));
  CHECK(holds(refusal("[convolutional]\n"), "a .cfg begins with [net]"));
  CHECK(holds(refusal(net), "no layer computes anything"));
  CHECK(holds(refusal(net + "[dropout]\n[cost]\n"), "no layer computes anything"));
}

TEST_CASE("The input must have a size, and one that fits") {
  check_refusal("[net]\nheight=4\n[avgpool]\n", "line 1, [net]: 'width' is missing");
  for (const char* bad : {"0", "-5", "99999999999999999999", "1e3", "", "0x10", "4.5", "nan"}) {
    check_refusal("[net]\nheight=4\nwidth=" + std::string(bad) + "\n[avgpool]\n",
                  "'width' is '" + std::string(bad) + "', and should be a whole number");
  }
  check_refusal("[net]\nwidth=1000000\nheight=1000000\n[avgpool]\n", "is too large");
}

TEST_CASE("Sizes that are huge, negative or not there are refused where they stand") {
  const auto conv = [](const std::string& options) {
    return net + "\n[convolutional]\n" + options + "\n";
  };
  check_refusal(conv("filters=-1"), "line 6, [convolutional] (layer 0): 'filters' is '-1'");
  check_refusal(conv("filters=2000000000"), "'filters' is '2000000000'");
  check_refusal(conv("filters=1000000\nsize=1000"), "it has too many weights");
  check_refusal(conv("size=0"), "'size' is '0'");
  check_refusal(conv("stride=0"), "'stride' is '0'");
  check_refusal(conv("stride="), "'stride' is ''");
  check_refusal(conv("size=30"), "which is empty or too large");
  check_refusal(conv("groups=3"), "do not divide into 3 groups");
  check_refusal(conv("activation=gelu"), "its activation is 'gelu', and shingle knows linear");
  check_refusal(conv("dilation=2"), "'dilation' is 2, and shingle computes it with 1 only");
  check_refusal(net + "[maxpool]\nsize=2\npadding=9\n", "'padding' is '9'");
  check_refusal(net + "[upsample]\nstride=-2\n", "'stride' is '-2'");
  check_refusal(net + "[upsample]\nstride=100000\n", "empty or too large");
  check_refusal(net + "[reorg]\nstride=3\n", "does not divide by its stride 3");
  check_refusal(net + "[reorg]\nstride=4\n", "does not divide by its stride 4");
  check_refusal(net + "[connected]\noutput=1048577\n", "'output' is '1048577'");
  check_refusal(net + "[softmax]\n", "shingle takes one pixel");
  check_refusal(net + "[lstm]\n", "does not read this kind of section");
}

TEST_CASE("Routes forward, to themselves or to nowhere are refused") {
  const std::string pool = net + "[maxpool]\n";
  check_refusal(pool + "[route]\nlayers=1\n",
                "names layer 1, and only layers 0 to 0 come before it");
  check_refusal(pool + "[route]\nlayers=7\n", "names layer 7");
  check_refusal(pool + "[route]\nlayers=-2\n", "names layer -1");
  check_refusal(pool + "[route]\nlayers=-2147483648\n", "names layer -2147483647");
  check_refusal(pool + "[route]\n", "'layers' is missing");
  check_refusal(pool + "[route]\nlayers=0,x\n", "should be whole numbers");
  check_refusal(pool + "[shortcut]\nfrom=2\n", "names layer 2");
  check_refusal(net + "[route]\nlayers=-1\n", "no layer comes before it");
  check_refusal(pool + "[maxpool]\nstride=2\n[route]\nlayers=0,1\n",
                "differ on an axis that is not concatenated");
  check_refusal(pool + "[maxpool]\nstride=2\n[shortcut]\nfrom=0\n", "two of one size");
  check_refusal(pool + "[route]\nlayers=0\ngroups=3\n", "do not divide into 3 groups");
  check_refusal(pool + "[route]\nlayers=0\ngroups=2\ngroup_id=2\n", "'group_id' is '2'");
}

TEST_CASE("Detections that do not fit their map, and layers that read them, are refused") {
  const std::string pool = net + "[maxpool]\n";
  const std::string yolo = "[yolo]\nclasses=1\nanchors=1,2\n";
  check_refusal(pool + yolo, "it reads 4 channels, and 1 anchors of 4 coordinates");
  check_refusal(pool + "[yolo]\nnum=3\nanchors=1,2\n", "'anchors' holds 2 values");
  check_refusal(pool + "[yolo]\nnum=1\nanchors=1,2\nmask=1\n", "'mask' names anchor 1");
  check_refusal(pool + "[yolo]\nanchors=1,-2\n", "its anchor 0 is not above 0");
  check_refusal(pool + "[yolo]\nanchors=1,inf\n", "should be numbers");
  const std::string six = "[net]\nwidth=4\nheight=4\nchannels=6\n";
  check_refusal(six + yolo, "it reads a map that is an input");
  check_refusal(six + "[maxpool]\n" + yolo + "[maxpool]\n", "it reads layer 1, a detection");
  check_refusal(six + "[maxpool]\n" + yolo + "[route]\nlayers=0\n" + yolo, "another detection's");
  CHECK(refusal(six + "[maxpool]\n" + yolo) == "it was read");
}

TEST_CASE("A million sections, options or routed layers are refused or read quickly") {
  std::string sections = net, options = net + "[maxpool]\n", routed = net + "[maxpool]\n[route]\n";
  for (int i = 0; i < 300'000; ++i) sections += "[maxpool]\n";
  CHECK(holds(refusal(sections), "shingle reads 10000 at most"));
  for (int i = 0; i < 1'000'000; ++i) options += "a=\n";
  CHECK(refusal(options) == "it was read");
  routed += "layers=0";
  for (int i = 0; i < 1'000'000; ++i) routed += ",0";
  CHECK(holds(refusal(routed), "'layers' holds more than 4096 values"));
  CHECK(holds(refusal(std::string(5 << 20, '\n')), "shingle reads a .cfg of 4194304 at most"));
}

TEST_CASE("Sections that make thousands of layers each are refused before they fill the memory") {
  std::string cfg = net + "[maxpool]\n", sources = "0";
  for (int i = 1; i < 4096; ++i) sources += ",0";
  for (int i = 0; i < 400; ++i) cfg += "[shortcut]\nfrom=" + sources + "\n";
  check_refusal(cfg, "[shortcut] (layer 10): the network comes to more than 40000 layers");
}

TEST_CASE("Channels that double with every section are refused before they overflow") {
  std::string cfg = net + "[maxpool]\n";
  for (int i = 0; i < 100; ++i) cfg += "[route]\nlayers=-1,-1\n";
  check_refusal(cfg, "too large");
}

TEST_CASE("A cfg of giant layers costs nothing while its weights are missing") {
  std::string cfg = "[net]\nwidth=2\nheight=2\nchannels=1024\n";
  for (int i = 0; i < 5000; ++i) {
    cfg += "[convolutional]\nbatch_normalize=1\nfilters=1024\nsize=1\nactivation=relu\n";
  }
  check_refusal(cfg, "values short of the 5263360000 that the cfg needs");
}

TEST_CASE("What a terminal could not bear becomes readable") {
  check_refusal(net + "[\x1b[2J]\n", "[?[2J]");
  check_refusal(net + "[convolutional]\nfilters=\xff\n", "'filters' is '?'");
  CHECK(refusal(net + "[" + std::string(100'000, 'x') + "]\n").size() < 500);
}
