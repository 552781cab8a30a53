#include "tests/networks/detector_tails.hpp"

#include <limits>

namespace shingle::networks {

namespace {

constexpr int64_t as_float = 1, as_int64 = 7, as_bool = 9;  // TensorProto.DataType
constexpr int64_t no_end = std::numeric_limits<int64_t>::max();

// Verbs that the exporter puts together of several nodes.
class Tail {
 public:
  explicit Tail(OnnxGraph& graph) : graph_(graph) {}

  std::string node(std::string_view op, const std::vector<std::string>& inputs,
                   const OnnxAttributes& attributes = {}) {
    return graph_.node(op, inputs, attributes);
  }
  std::string ints(const std::vector<int64_t>& values) { return graph_.integers(values); }
  std::string number(int64_t value) {
    std::string raw;
    for (int byte = 0; byte < 8; ++byte)
      raw.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * byte) & 0xFF));
    return graph_.tensor({}, as_int64, raw);
  }
  std::string scalar(float value) { return graph_.scalar(value); }
  std::string cast(const std::string& value, int64_t type) {
    return node("Cast", {value}, {{"to", type}});
  }
  std::string pick(const std::string& value, int64_t index, int64_t axis) {
    return node("Gather", {value, number(index)}, {{"axis", axis}});
  }
  std::string size(const std::string& value, int64_t dim) {
    return pick(node("Shape", {value}), dim, 0);
  }
  std::string joined(const std::vector<std::string>& parts, int64_t axis) {
    return node("Concat", parts, {{"axis", axis}});
  }
  std::string unsqueezed(const std::string& value, int64_t axis) {
    return node("Unsqueeze", {value, ints({axis})});
  }
  std::string first(const std::string& value, int64_t count) {
    return node("Slice", {value, ints({0}), ints({count}), ints({0})});
  }
  // value[mask]
  std::string where(const std::string& value, const std::string& mask) {
    const std::string places =
        node("Transpose", {node("NonZero", {mask})}, {{"perm", std::vector<int64_t>{1, 0}}});
    return node("GatherND", {value, places});
  }
  // value.expand(sizes), where -1 is a size that stays
  std::string expanded(const std::string& value, const std::string& sizes) {
    const std::string shape = node("Shape", {sizes});
    const std::string ones =
        cast(node("Add", {node("ConstantOfShape", {shape}), scalar(1.0F)}), as_int64);
    const std::string stays = node("Equal", {sizes, node("Mul", {ones, number(-1)})});
    return node("Expand", {value, node("Where", {stays, ones, sizes})});
  }
  // torch.nn.functional.pad(value of two dims, (0, 0, 0, behind))
  std::string padded(const std::string& value, const std::string& behind) {
    const std::string given = joined({ints({0}), ints({0}), ints({0}), unsqueezed(behind, 0)}, 0);
    const std::string pairs = node("Reshape", {given, ints({-1, 2})});
    const std::string turned =
        node("Slice", {pairs, ints({-1}), ints({-no_end}), ints({0}), ints({-1})});
    const std::string flat = node("Reshape", {node("Transpose", {turned}), ints({-1})});
    return node("Pad", {value, cast(flat, as_int64), scalar(0.0F)},
                {{"mode", std::string("constant")}});
  }
  // torchvision.ops.nms
  std::string suppressed(const std::string& boxes, const std::string& scores, float overlap) {
    const std::string found =
        node("NonMaxSuppression", {cast(unsqueezed(boxes, 0), as_float),
                                   cast(unsqueezed(unsqueezed(scores, 0), 0), as_float),
                                   ints({no_end}), graph_.floats({1}, {overlap})});
    const std::string box = node("Gather", {found, ints({2})}, {{"axis", int64_t{1}}});
    return node("Squeeze", {box, ints({1})});
  }

 private:
  OnnxGraph& graph_;
};

// The boxes and classes that a mask leaves.
struct Kept {
  std::string boxes, scores, classes, extras;
};

// The boxes of each class moved to a place of their own.
std::string classes_apart(Tail& to, const Kept& kept, float multiplier) {
  const std::string boxes =
      to.node("Div", {to.node("Mul", {kept.boxes, to.scalar(multiplier)}), to.scalar(640.0F)});
  const std::string count = to.unsqueezed(to.size(kept.classes, 0), 0);
  const std::string column =
      to.node("Reshape", {kept.classes, to.joined({count, to.ints({1})}, 0)});
  const std::string offset =
      to.expanded(column, to.joined({to.unsqueezed(to.size(kept.classes, 0), 0), to.ints({4})}, 0));
  const std::string four = to.node("Slice", {boxes, to.ints({0}), to.ints({4}), to.ints({1})});
  const std::string rest = to.node("Slice", {boxes, to.ints({4}), to.ints({no_end}), to.ints({1})});
  const std::string by = to.node("Mul", {to.cast(offset, as_float), to.scalar(multiplier)});
  return to.joined({to.node("Add", {four, by}), rest}, -1);
}

Kept kept_of(OnnxGraph& graph, const TailOptions& options) {
  Tail to(graph);
  graph.node_with_outputs("TopK", {"all_scores", to.ints({1})}, {},
                          {"best_scores", "best_classes"});
  const std::string classes = to.node("Squeeze", {"best_classes", to.ints({-1})});
  const std::string score = to.pick(to.node("Squeeze", {"best_scores", to.ints({-1})}), 0, 0);
  const std::string mask = to.node("Greater", {score, to.scalar(options.min_score)});
  return {.boxes = to.where(to.pick("all_boxes", 0, 0), mask),
          .scores = to.where(score, mask),
          .classes = to.where(to.pick(classes, 0, 0), mask),
          .extras = to.where(to.pick("all_extras", 0, 0), mask)};
}

}  // namespace

std::string ultralytics_tail(OnnxGraph& graph, const std::string& boxes, const std::string& scores,
                             const TailOptions& options) {
  Tail to(graph);
  graph.node_with_outputs("Split",
                          {to.joined({boxes, scores}, 2), to.ints({4, options.classes, 0})},
                          {{"axis", int64_t{2}}}, {"all_boxes", "all_scores", "all_extras"});
  const Kept kept = kept_of(graph, options);
  const std::string apart = classes_apart(to, kept, 1.0F / static_cast<float>(options.classes));
  const std::string keep =
      to.first(to.suppressed(apart, kept.scores, options.max_overlap), options.most);
  const auto rows = [&](const std::string& value) {
    return to.node("Reshape", {to.node("Gather", {value, keep}), to.ints({-1, 1})});
  };
  const std::string dets =
      to.joined({to.node("Gather", {kept.boxes, keep}), rows(kept.scores),
                 to.cast(rows(kept.classes), as_float), to.node("Gather", {kept.extras, keep})},
                -1);
  const std::string missing = to.node("Sub", {to.number(options.most), to.size(dets, 0)});
  const std::string out = graph.floats(
      {1, options.most, 6}, std::vector<float>(static_cast<size_t>(options.most * 6), 0.0F));
  const std::string update =
      to.node("Reshape", {to.padded(dets, missing), to.ints({1, options.most, 6})});
  return to.node("ScatterND", {out, graph.tensor({1, 1}, as_int64, std::string(8, '\0')), update});
}

namespace {

// torchvision.ops.batched_nms, a script: an If asks whether there are boxes at all. The boxes of
// each class are moved to a place of their own.
std::string batched_nms(OnnxGraph& graph, const std::string& boxes, const std::string& scores,
                        const std::string& labels, float overlap) {
  Tail to(graph);
  for (const auto& [value, name] : {std::pair(boxes, "of_boxes"), std::pair(scores, "of_scores"),
                                    std::pair(labels, "of_labels")})
    graph.node("Identity", {value}, {}, name);
  const std::string none =
      to.cast(to.node("Equal", {to.node("Size", {"of_boxes"}), to.number(0)}), as_bool);
  OnnxGraph without("without_"), with("with_");
  Tail inside(with);
  const std::string nothing = without.node(
      "ConstantOfShape", {without.node("Constant", {}, {{"value_ints", std::vector<int64_t>{0}}})});
  without.node("Cast", {nothing}, {{"to", as_int64}}, "without_kept");
  without.output("without_kept", {});
  const std::string farthest = inside.node("ReduceMax", {"of_boxes"}, {{"keepdims", int64_t{0}}});
  const std::string offsets = inside.node(
      "Mul",
      {inside.cast("of_labels", as_float), inside.node("Add", {farthest, inside.scalar(1.0F)})});
  const std::string moved = inside.node("Add", {"of_boxes", inside.unsqueezed(offsets, 1)});
  with.node("Identity", {inside.suppressed(moved, "of_scores", overlap)}, {}, "with_kept");
  with.output("with_kept", {});
  return graph.node(
      "If", {none},
      {{"then_branch", OnnxInner{without.graph()}}, {"else_branch", OnnxInner{with.graph()}}});
}

}  // namespace

void torchvision_tail(OnnxGraph& graph, const std::string& boxes, const std::string& scores,
                      const TailOptions& options) {
  Tail to(graph);
  std::vector<std::string> all_boxes, all_scores, all_labels;
  for (int64_t label = 1; label <= options.classes; ++label) {
    const std::string score = to.pick(scores, label, 1);
    const std::string mask = to.node("Greater", {score, to.scalar(options.min_score)});
    const std::string kept = to.where(score, mask), box = to.where(boxes, mask);
    const std::string many =
        to.joined({to.ints({options.candidates}), to.unsqueezed(to.size(kept, 0), 0)}, 0);
    const std::string count = to.node("ReduceMin", {many}, {{"keepdims", int64_t{0}}});
    const std::string name = std::to_string(label);
    graph.node_with_outputs("TopK",
                            {kept, to.node("Reshape", {to.cast(count, as_int64), to.ints({1})})},
                            {}, {"top_scores" + name, "top_places" + name});
    all_scores.push_back("top_scores" + name);
    all_boxes.push_back(to.node("Gather", {box, "top_places" + name}));
    // torch.full_like
    const std::string ones =
        to.node("Add", {to.node("ConstantOfShape", {to.node("Shape", {all_scores.back()})}),
                        to.scalar(static_cast<float>(label))});
    all_labels.push_back(to.cast(ones, as_int64));
  }
  const std::string box = to.joined(all_boxes, 0), score = to.joined(all_scores, 0),
                    label = to.joined(all_labels, 0);
  const std::string keep =
      to.first(batched_nms(graph, box, score, label, options.max_overlap), options.most);
  graph.node("Gather", {box, keep}, {}, "boxes");
  graph.node("Gather", {score, keep}, {}, "scores");
  graph.node("Gather", {label, keep}, {}, "labels");
  for (const char* name : {"boxes", "scores", "labels"}) graph.output(name, {});
}

}  // namespace shingle::networks
