#include "devices/pass/pass_pieces.hpp"

#include <algorithm>

namespace shingle {

namespace {

// About a microsecond: less is not worth a piece. From ten times that on there are a few for each
// thread, so that one that is slow, or late, leaves its share to the others.
constexpr int64_t worth_a_piece = 16'000, several_pieces = 10 * worth_a_piece;
constexpr int32_t several = 3;
// Of a piece with others for the same thread: a convolution reads its weights once for each.
constexpr int64_t pixels_of_several = 64;

// So many equal parts of the region's rows; none if one would be a tenth too large.
std::vector<Span> even_spans(const Region& region, int32_t count) {
  const Span rows = rows_of(region);
  const int32_t largest = (rows.size() + count - 1) / count;
  if (rows.size() < count || int64_t{largest} * count * 10 > int64_t{rows.size()} * 11) return {};
  std::vector<Span> spans;
  for (int64_t i = 0; i < count; ++i) {
    spans.push_back({rows.begin + static_cast<int32_t>(rows.size() * i / count),
                     rows.begin + static_cast<int32_t>(rows.size() * (i + 1) / count)});
  }
  return spans;
}

// Strips from one on that are cut at the same rows.
struct Chain {
  std::vector<Span> spans;
  size_t first = 0, strips = 0;
  int64_t operations = 0;
  std::vector<PassCall> before{};  // what is kept or moved for them
  std::vector<Reach> before_reaches{};
  std::vector<Reach> reaches{};  // by span
};

class Cutter {
 public:
  Cutter(const Model& model, const TilePass& pass, const CutForThreads& cut)
      : model_(model), pass_(pass), cut_(cut), access_(model, pass) {
    note_first_rows();
  }

  PassPieces pieces() {
    for (size_t strip = 0; strip < pass_.strips.size();) {
      if (!goes_by_pieces(strip)) {
        add_stretch(strip++);
        open_ = false;
        continue;
      }
      if (!open_) add_stretch(strip);
      open_ = true;
      strip = add_strips(strip);
      pieces_.stretches.back().last_strip = strip - 1;
      pieces_.stretches.back().pieces =
          pieces_.pieces.size() - pieces_.stretches.back().first_piece;
    }
    return std::move(pieces_);
  }

 private:
  const PassStep& step_of(size_t strip) const { return pass_.steps[pass_.strips[strip].step]; }
  Region region_of(size_t strip) const {
    return with_rows(step_of(strip).region, pass_.strips[strip].rows);
  }

  void note_first_rows() {
    std::vector<int32_t> now;  // by place
    for (const TensorPlace& place : pass_.places)
      now.push_back((place.stored.box.*row_axis(place.held)).begin);
    for (const PassStrip& strip : pass_.strips) {
      const PassStep& step = pass_.steps[strip.step];
      int32_t& first = now[step.output];
      pieces_.rows_.push_back(first);
      if (pass_.places[step.output].kind == TensorPlace::Kind::arena) first = strip.first_row;
      pieces_.rows_.push_back(first);
      for (const size_t input : step.inputs) pieces_.rows_.push_back(now[input]);
      pieces_.rows_of_.push_back(static_cast<uint32_t>(pieces_.rows_.size()));
    }
  }

  // Borders and copies are for one thread, with nobody else about.
  bool goes_by_pieces(size_t strip) const {
    const PassStep& step = step_of(strip);
    const TensorPlace& place = pass_.places[step.output];
    const bool bare = place.kind == TensorPlace::Kind::output || place.stored.box == place.held;
    return step.runner->in_parts() != nullptr && bare && !step.copied_to;
  }

  void add_stretch(size_t strip) {
    reaches_.clear();
    pieces_.stretches.push_back(
        {.first_strip = strip, .last_strip = strip, .first_piece = pieces_.pieces.size()});
  }

  // Adds a strip, or a chain of strips; returns the strip behind them.
  size_t add_strips(size_t first) {
    for (const int32_t each : {several, 1}) {
      const Chain chain = chain_from(first, each * cut_.threads);
      const int64_t worth = each == 1 ? worth_a_piece : several_pieces;
      if (chain.strips > 1 && chain.operations >= worth * each * cut_.threads) return add(chain);
    }
    const Chain little = chain_from(first, 1);
    if (little.strips > 1 && little.operations < worth_a_piece * cut_.threads) return add(little);
    add_alone(first);
    return first + 1;
  }

  // --- chains ---

  Chain chain_from(size_t first, int32_t count) const {
    Chain chain{.spans = even_spans(region_of(first), count), .first = first};
    if (chain.spans.empty()) return chain;
    chain.reaches.resize(chain.spans.size());
    size_t strip = first;
    while (strip < pass_.strips.size() && join(chain, strip)) ++strip;
    chain.strips = strip - first;
    return chain;
  }

  bool divides(const Chain& chain, size_t strip) const {
    if (!goes_by_pieces(strip)) return false;
    const Region region = region_of(strip);
    const auto axis = row_axis(step_of(strip).region);
    if (axis != row_axis(step_of(chain.first).region)) return false;
    if (rows_of(region) != rows_of(region_of(chain.first))) return false;
    if (chain.spans.size() == 1) return true;
    const Region part = with_rows(region, chain.spans[0]);
    const bool several_each = std::cmp_greater(chain.spans.size(), cut_.threads);
    if (several_each && int64_t{part.y.size()} * part.x.size() < pixels_of_several) return false;
    return cut_.divides(step_of(strip), part);
  }

  // Takes the strip into the chain if no part of it meets a part of another number.
  bool join(Chain& chain, size_t strip) const {
    if (!divides(chain, strip)) return false;
    std::vector<Reach> before;
    const std::vector<PassCall> calls = calls_before(strip, before);
    for (const Reach& reach : before)
      for (const Reach& other : chain.reaches)
        if (access_.conflict(reach, other)) return false;
    std::vector<Reach> parts;
    for (size_t i = 0; i < chain.spans.size(); ++i) {
      parts.push_back(reach_of(strip, part_of(strip, chain.spans[i])));
      for (size_t j = 0; j < chain.spans.size(); ++j)
        if (i != j && access_.conflict(parts[i], chain.reaches[j])) return false;
    }
    for (size_t i = 0; i < parts.size(); ++i) chain.reaches[i].add(parts[i]);
    chain.operations += cut_.operations(step_of(strip), region_of(strip));
    chain.before.insert(chain.before.end(), calls.begin(), calls.end());
    chain.before_reaches.insert(chain.before_reaches.end(), before.begin(), before.end());
    return true;
  }

  LayerPart part_of(size_t strip, Span rows) const {
    const Region part = with_rows(region_of(strip), rows);
    return {.region = part, .written = part};
  }

  size_t add(const Chain& chain) {
    for (size_t i = 0; i < chain.before.size(); ++i)
      add_piece({&chain.before[i], 1}, chain.before_reaches[i]);
    for (size_t i = 0; i < chain.spans.size(); ++i) {
      std::vector<PassCall> calls;
      for (size_t strip = chain.first; strip < chain.first + chain.strips; ++strip)
        calls.push_back(call_of(strip, part_of(strip, chain.spans[i])));
      add_piece(calls, chain.reaches[i]);
    }
    pieces_.stretches.back().operations += chain.operations;
    return chain.first + chain.strips;
  }

  // --- pieces ---

  // What must be kept or moved before the strip, and what that reads and writes.
  std::vector<PassCall> calls_before(size_t index, std::vector<Reach>& reaches) const {
    const PassStrip& strip = pass_.strips[index];
    const PassStep& step = step_of(index);
    const auto number = static_cast<uint32_t>(index);
    std::vector<PassCall> calls;
    if (step.kept && begins(step, strip.rows)) {
      const int32_t count = step.runner->in_parts()->kept_parts(cut_.threads);
      for (int32_t i = 0; i < count; ++i) {
        calls.push_back({.kind = PassCall::Kind::keep,
                         .strip = number,
                         .part = {},
                         .held = {},
                         .index = i,
                         .count = count});
        reaches.push_back(access_.of_kept(step, i, count, pieces_.first_rows(index)));
      }
    }
    if (!strip.moved.empty()) {
      calls.push_back({.kind = PassCall::Kind::move, .strip = number, .part = {}, .held = {}});
      reaches.push_back(access_.of_move(step));
    }
    return calls;
  }

  PassCall call_of(size_t strip, const LayerPart& part) const {
    return {.strip = static_cast<uint32_t>(strip),
            .part = part,
            .held = read_by(model_, step_of(strip), 0, part.region)};
  }

  Reach reach_of(size_t strip, const LayerPart& part) const {
    return access_.of_part(step_of(strip), part, pieces_.first_rows(strip));
  }

  void add_alone(size_t strip) {
    std::vector<Reach> reaches;
    const std::vector<PassCall> before = calls_before(strip, reaches);
    for (size_t i = 0; i < before.size(); ++i) add_piece({&before[i], 1}, reaches[i]);
    const Region region = region_of(strip);
    pieces_.stretches.back().operations += cut_.operations(step_of(strip), region);
    for (const LayerPart& part : cut_.parts(step_of(strip), region)) {
      const PassCall call = call_of(strip, part);
      add_piece({&call, 1}, reach_of(strip, part));
    }
  }

  void add_piece(std::span<const PassCall> calls, const Reach& reach) {
    pieces_.pieces.push_back({.first_call = static_cast<uint32_t>(pieces_.calls.size()),
                              .calls = static_cast<uint32_t>(calls.size()),
                              .after = after(reach)});
    pieces_.calls.insert(pieces_.calls.end(), calls.begin(), calls.end());
    reaches_.push_back(reach);
  }

  // How many of the stretch's pieces so far must have ended before one begins.
  uint32_t after(const Reach& reach) const {
    for (size_t i = reaches_.size(); i-- > 0;)
      if (access_.conflict(reaches_[i], reach)) return static_cast<uint32_t>(i + 1);
    return 0;
  }

  const Model& model_;
  const TilePass& pass_;
  const CutForThreads& cut_;
  const PassAccess access_;
  bool open_ = false;           // the last stretch may go on
  std::vector<Reach> reaches_;  // of the last stretch's pieces
  PassPieces pieces_;
};

}  // namespace

PassPieces cut_pass(const Model& model, const TilePass& pass, const CutForThreads& cut) {
  return Cutter(model, pass, cut).pieces();
}

PassPieces cut_pass(const Model& model, const TilePass& pass, int threads) {
  const auto pools = [](const PassStep& step) { return step.pool.has_value(); };
  return cut_pass(model, pass,
                  {.threads = threads,
                   .parts =
                       [&](const PassStep& step, const Region& region) {
                         return step.runner->in_parts()->parts(region, pools(step), threads);
                       },
                   .divides =
                       [&](const PassStep& step, const Region& part) {
                         return step.runner->in_parts()->divides(part, pools(step));
                       },
                   .operations =
                       [&](const PassStep& step, const Region& region) {
                         return step.runner->in_parts()->operations(region, pools(step));
                       }});
}

}  // namespace shingle
