// The canonical text of a plan. One item a line, one space between words, spans half-open:
//
//   shingle plan 1
//   model <64 hex digits>
//   shape of <64 hex digits> 1x3x480x640
//   image of <64 hex digits> scale 0.5 0.5 0.5 offset 0 0 0
//   weights at_home
//   wire <tensors> u8 <ids of the tensors that travel as u8>
//   predicted latency_ns 71 period_ns 30 wire_bytes 9 peak_bytes 12
//   block layers 0..16 18..19 winograd 2..3 4..6
//   tile 0 home 1 macs 100 peak_bytes 200
//   in 0 y 0..10 x 0..10 c 0..3
//   out 16 y 0..5 x 0..5 c 0..64
//   end
//
// The line 'shape' exists if the model's file leaves sizes of its inputs open: it gives the hash of
// that file and the sizes of all inputs. The line 'image' exists if the model takes a uint8 image:
// it gives the hash of the model without the image and the numbers of each channel, each as the
// shortest text that reads as the same float. The line 'weights' exists if nodes keep only the
// weights of their own tiles.
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "partition/plan/plan.hpp"

namespace shingle {
namespace {

constexpr size_t max_text_bytes = 16 << 20;
constexpr size_t max_tensors = 1 << 20;
constexpr size_t max_layers = 1 << 20;
constexpr size_t max_tiles = 1 << 12;
constexpr size_t max_channels = 16;  // of an image

// --- printing ---

void append_span(std::string& text, const char* axis, Span span) {
  text.append(axis).append(std::to_string(span.begin)).append("..");
  text.append(std::to_string(span.end));
}

void append_slice(std::string& text, const char* direction, const Slice& slice) {
  text.append(direction).append(std::to_string(slice.tensor.value));
  append_span(text, " y ", slice.region.y);
  append_span(text, " x ", slice.region.x);
  append_span(text, " c ", slice.region.c);
  text.push_back('\n');
}

// Layers as runs of consecutive ids, so that a block of a hundred layers needs few words.
void append_layers(std::string& text, const std::vector<LayerId>& layers) {
  for (size_t i = 0; i < layers.size();) {
    size_t next = i + 1;
    const auto after = [&] { return uint64_t{layers[next - 1].value} + 1; };  // may be 2^32
    while (next < layers.size() && layers[next].value == after()) ++next;
    text.append(" ").append(std::to_string(layers[i].value)).append("..");
    text.append(std::to_string(after()));
    i = next;
  }
}

void append_block(std::string& text, const FusedBlock& block) {
  append_layers(text.append("block layers"), layer_ids(block));
  const std::vector<LayerId> winograd = winograd_layers(block);
  if (!winograd.empty()) append_layers(text.append(" winograd"), winograd);
  text.push_back('\n');
  for (const Tile& tile : block.tiles) {
    text.append("tile ").append(std::to_string(tile.id.value));
    text.append(" home ").append(std::to_string(tile.home.value));
    text.append(" macs ").append(std::to_string(tile.macs));
    text.append(" peak_bytes ").append(std::to_string(tile.peak_bytes)).push_back('\n');
    for (const Slice& slice : tile.inputs) append_slice(text, "in ", slice);
    for (const Slice& slice : tile.outputs) append_slice(text, "out ", slice);
  }
}

void append_floats(std::string& text, const std::vector<float>& values) {
  for (const float value : values) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(" ").append(digits.data(), end);
  }
}

void append_image(std::string& text, const ImageInput& image) {
  text.append("image of ").append(to_string(image.of)).append(" scale");
  append_floats(text, image.scale);
  text.append(" offset");
  append_floats(text, image.offset);
  text.push_back('\n');
}

void append_shape(std::string& text, const SizedInputs& sized) {
  text.append("shape of ").append(to_string(sized.of)).append(" ");
  text.append(to_string(sized.shapes)).append("\n");
}

std::string head(const Plan& plan) {
  std::string text = "shingle plan 1\nmodel " + to_string(plan.model) + "\n";
  if (plan.sized) append_shape(text, *plan.sized);
  if (plan.image) append_image(text, *plan.image);
  if (plan.weights == WeightPlaces::at_home) text.append("weights at_home\n");
  text.append("wire ").append(std::to_string(plan.wire.size())).append(" u8");
  for (size_t i = 0; i < plan.wire.size(); ++i) {
    if (plan.wire[i] == WireFormat::u8) text.append(" ").append(std::to_string(i));
  }
  return text + "\n";
}

std::string body(const Plan& plan) {
  std::string text;
  for (const FusedBlock& block : plan.blocks) append_block(text, block);
  return text + "end\n";
}

// --- parsing ---

// The words of one line. Each method reads what its name says, or returns false and leaves the line
// as it is.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  bool done() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool at(std::string_view expected) const { return rest_.substr(0, expected.size()) == expected; }

  bool literal(std::string_view expected) {
    if (!at(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  template <class Number>
  bool number(Number& value) {
    const char* begin = rest_.data();
    const auto [end, error] = std::from_chars(begin, begin + rest_.size(), value);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<size_t>(end - begin));
    return true;
  }

  bool duration(Duration& value) {
    int64_t nanoseconds = 0;
    if (!number(nanoseconds)) return false;
    value = Duration(nanoseconds);
    return true;
  }

  bool hash(Hash& hash) {
    const std::optional<Hash> found = read_hash(rest_.substr(0, 2 * hash.bytes.size()));
    if (!found) return false;
    hash = *found;
    rest_.remove_prefix(2 * hash.bytes.size());
    return true;
  }

  // Finite numbers, each after a space, until something else follows.
  bool floats(std::vector<float>& values) {
    while (values.size() < max_channels && rest_.size() > 1 && rest_[0] == ' ' &&
           (rest_[1] == '-' || (rest_[1] >= '0' && rest_[1] <= '9'))) {
      rest_.remove_prefix(1);
      if (!number(values.emplace_back()) || !std::isfinite(values.back())) return false;
    }
    return !values.empty();
  }

  bool span(std::string_view axis, Span& span) {
    return literal(axis) && number(span.begin) && literal("..") && number(span.end);
  }

 private:
  std::string_view rest_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Result<Plan> parse() {
    if (rest_.size() > max_text_bytes) return Error{"the plan text is longer than 16 MiB"};
    if (!head()) return failure();
    while (advance()) {
      if (line_ == "end") return at_end();
      if (!item()) return failure();
    }
    return failure();
  }

 private:
  bool fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return false;
  }

  Error failure() {
    if (why_.empty()) why_ = "is malformed";
    return Error{"plan text, line " + std::to_string(number_) + ": " + why_};
  }

  // Reads the next line without its newline; every line has one.
  bool advance() {
    ++number_;
    const size_t newline = rest_.find('\n');
    if (newline == std::string_view::npos) return fail("the text ends here without 'end'");
    line_ = rest_.substr(0, newline);
    rest_.remove_prefix(newline + 1);
    return true;
  }

  bool head() {
    if (!advance()) return false;
    if (line_ != "shingle plan 1") return fail("expected 'shingle plan 1'");
    return advance() && model() && advance() && shape() && image() && weights() && wire() &&
           advance() && predicted();
  }

  bool model() {
    const std::string_view word = "model ";
    if (line_.substr(0, word.size()) != word) return fail("expected 'model HASH'");
    const std::optional<Hash> hash = read_hash(line_.substr(word.size()));
    if (!hash) return fail("a model hash has 64 hex digits");
    plan_.model = *hash;
    return true;
  }

  // The three optional lines.
  bool weights() {
    if (!line_.starts_with("weights")) return true;
    if (line_ != "weights at_home") return fail("expected 'weights at_home'");
    plan_.weights = WeightPlaces::at_home;
    return advance();
  }
  bool shape() {
    Words words(line_);
    if (!words.literal("shape ")) return true;
    SizedInputs& to = plan_.sized.emplace();
    const bool named = words.literal("of ") && words.hash(to.of) && words.literal(" ");
    const auto shapes = named ? read_input_shapes(words.rest()) : std::nullopt;
    if (!shapes) return fail("expected 'shape of HASH SIZES', the sizes as 1x3x480x640");
    to.shapes = *shapes;
    return advance();
  }
  bool image() {
    Words words(line_);
    if (!words.literal("image ")) return true;
    ImageInput& to = plan_.image.emplace();
    const bool good = words.literal("of ") && words.hash(to.of) && words.literal(" scale") &&
                      words.floats(to.scale) && words.literal(" offset") &&
                      words.floats(to.offset) && words.done() &&
                      to.scale.size() == to.offset.size();
    return good ? advance() : fail("expected 'image of HASH scale NUMBERS offset NUMBERS'");
  }

  bool wire() {
    Words words(line_);
    uint64_t tensors = 0;
    if (!words.literal("wire ") || !words.number(tensors) || !words.literal(" u8")) {
      return fail("expected 'wire TENSORS u8 IDS'");
    }
    if (tensors > max_tensors) return fail("a plan has at most 1048576 tensors");
    plan_.wire.assign(tensors, WireFormat::f32);
    while (!words.done()) {
      uint32_t id = 0;
      if (!words.literal(" ") || !words.number(id)) return fail("expected a tensor id");
      if (id >= tensors) return fail("tensor " + std::to_string(id) + " is not in the plan");
      plan_.wire[id] = WireFormat::u8;
    }
    return true;
  }

  bool predicted() {
    Words words(line_);
    Prediction& to = plan_.predicted;
    const bool good = words.literal("predicted latency_ns ") && words.duration(to.latency) &&
                      words.literal(" period_ns ") && words.duration(to.period) &&
                      words.literal(" wire_bytes ") && words.number(to.wire_bytes) &&
                      words.literal(" peak_bytes ") && words.number(to.peak_bytes) && words.done();
    return good || fail("expected 'predicted latency_ns N period_ns N wire_bytes N peak_bytes N'");
  }

  bool item() {
    Words words(line_);
    if (words.literal("block layers")) return block(words);
    if (words.literal("tile ")) return tile(words);
    if (words.literal("in ")) return slice(words, &Tile::inputs);
    if (words.literal("out ")) return slice(words, &Tile::outputs);
    return fail("expected 'block', 'tile', 'in', 'out' or 'end'");
  }

  bool block(Words words) {
    FusedBlock& to = plan_.blocks.emplace_back();
    std::vector<LayerId> held, winograd;
    if (!layers(words, held)) return false;
    for (LayerId id : held) to.layers.push_back({id});
    if (words.done()) return true;
    const bool good = words.literal(" winograd") && !words.done() && layers(words, winograd);
    if (!good || !words.done()) return fail("expected layers as BEGIN..END, half-open");
    return mark_winograd(to, winograd);
  }

  bool mark_winograd(FusedBlock& block, const std::vector<LayerId>& ids) {
    auto next = block.layers.begin();
    for (LayerId id : ids) {
      while (next != block.layers.end() && next->id != id) ++next;
      if (next == block.layers.end())
        return fail("layer " + std::to_string(id.value) +
                    " is listed after 'winograd', but the block does not hold it or lists it "
                    "earlier");
      next++->algorithm = Algorithm::winograd4;
    }
    return true;
  }

  // Reads all runs up to the next word or the end.
  bool layers(Words& words, std::vector<LayerId>& to) {
    while (!words.done() && !words.at(" winograd")) {
      uint32_t begin = 0;
      uint64_t end = 0;
      const bool good = words.literal(" ") && words.number(begin) && words.literal("..") &&
                        words.number(end) && begin < end &&
                        end <= uint64_t{std::numeric_limits<uint32_t>::max()} + 1;
      if (!good) return fail("expected layers as BEGIN..END, half-open");
      if (end - begin > max_layers - layers_) return fail("a plan has at most 1048576 layers");
      layers_ += end - begin;
      for (uint64_t id = begin; id < end; ++id) {
        to.push_back({static_cast<uint32_t>(id)});
      }
    }
    return true;
  }

  bool tile(Words words) {
    if (plan_.blocks.empty()) return fail("a tile stands before the first block");
    if (++tiles_ > max_tiles) return fail("a plan has at most 4096 tiles");
    Tile& to = plan_.blocks.back().tiles.emplace_back();
    const bool good = words.number(to.id.value) && words.literal(" home ") &&
                      words.number(to.home.value) && words.literal(" macs ") &&
                      words.number(to.macs) && words.literal(" peak_bytes ") &&
                      words.number(to.peak_bytes) && words.done();
    return good || fail("expected 'tile ID home NODE macs N peak_bytes N'");
  }

  bool slice(Words words, std::vector<Slice> Tile::*list) {
    if (plan_.blocks.empty() || plan_.blocks.back().tiles.empty()) {
      return fail("a slice stands before the block's first tile");
    }
    Tile& to = plan_.blocks.back().tiles.back();
    if (list == &Tile::inputs && !to.outputs.empty()) return fail("'in' stands after 'out'");
    Slice slice;
    const bool good = words.number(slice.tensor.value) && words.span(" y ", slice.region.y) &&
                      words.span(" x ", slice.region.x) && words.span(" c ", slice.region.c) &&
                      words.done();
    if (!good) return fail("expected a tensor id and 'y B..E x B..E c B..E'");
    (to.*list).push_back(slice);
    return true;
  }

  Result<Plan> at_end() {
    if (rest_.empty()) return std::move(plan_);
    ++number_;
    fail("text after 'end'");
    return failure();
  }

  std::string_view rest_, line_;
  size_t number_ = 0;
  std::string why_;
  Plan plan_;
  size_t layers_ = 0, tiles_ = 0;
};

}  // namespace

std::string print(const Plan& plan) {
  const Prediction& to = plan.predicted;
  return head(plan) + "predicted latency_ns " + std::to_string(to.latency.count()) + " period_ns " +
         std::to_string(to.period.count()) + " wire_bytes " + std::to_string(to.wire_bytes) +
         " peak_bytes " + std::to_string(to.peak_bytes) + "\n" + body(plan);
}

Result<Plan> parse_plan(std::string_view text) { return as_bad_input(Parser(text).parse()); }

PlanHash hash_of(const Plan& plan) { return sha256(head(plan) + body(plan)); }

}  // namespace shingle
