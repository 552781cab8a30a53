#include "devices/pass/pass_pieces.hpp"

#include <algorithm>
#include <array>

namespace shingle {

namespace {

// Bytes of the arena, or of one of the caller's maps.
struct ByteRange {
  int64_t begin = 0, end = 0;
};

bool overlap(const ByteRange& a, const ByteRange& b) { return a.begin < b.end && b.begin < a.end; }
bool overlap(Span a, Span b) { return a.begin < b.end && b.begin < a.end; }

// What a piece reads or writes of one place.
struct Access {
  size_t place = 0;
  Region region;
  std::array<ByteRange, 2> bytes{};  // of whole rows; two where a ring begins anew
};

class Cutter {
 public:
  Cutter(const Model& model, const TilePass& pass, const CutForThreads& cut)
      : model_(model), pass_(pass), cut_(cut) {}

  PassPieces pieces() {
    for (size_t strip = 0; strip < pass_.strips.size(); ++strip) {
      if (!goes_by_pieces(pass_.strips[strip])) {
        add_stretch(strip);
        open_ = false;
        continue;
      }
      if (!open_) add_stretch(strip);
      open_ = true;
      add_pieces(strip);
    }
    return std::move(pieces_);
  }

 private:
  struct Reach {
    Access written;
    std::vector<Access> read;
  };

  // Rows that move, borders and copies are for one thread, with nobody else about.
  bool goes_by_pieces(const PassStrip& strip) const {
    const PassStep& step = pass_.steps[strip.step];
    const TensorPlace& place = pass_.places[step.output];
    const bool stays = place.kind == TensorPlace::Kind::output || place.ring ||
                       (place.stored.box == place.held && place.rows == rows_of(place.held).size());
    return step.runner->in_parts() != nullptr && stays && !step.copied_to;
  }

  void add_stretch(size_t strip) {
    reaches_.clear();
    pieces_.stretches.push_back(
        {.first_strip = strip, .last_strip = strip, .first_piece = pieces_.pieces.size()});
  }

  void add_pieces(size_t index) {
    const PassStrip& strip = pass_.strips[index];
    const PassStep& step = pass_.steps[strip.step];
    const Region region = with_rows(step.region, strip.rows);
    PassStretch& stretch = pieces_.stretches.back();
    stretch.last_strip = index;
    stretch.operations += operations(step, region);
    for (const LayerPart& part : cut_(step, region)) {
      Reach reach = reach_of(step, part);
      pieces_.pieces.push_back({.strip = static_cast<uint32_t>(index),
                                .part = part,
                                .held = read_by(model_, step, 0, part.region),
                                .after = after(reach)});
      reaches_.push_back(std::move(reach));
    }
    stretch.pieces = pieces_.pieces.size() - stretch.first_piece;
  }

  int64_t operations(const PassStep& step, Region region) const {
    return macs(model_, step.layer, region) * (step.pool ? 4 : 1);
  }

  Reach reach_of(const PassStep& step, const LayerPart& part) const {
    Reach reach{.written = access(step.output, part.written), .read = {}};
    for (size_t input = 0; input < step.inputs.size(); ++input) {
      if (pass_.places[step.inputs[input]].kind == TensorPlace::Kind::absent) continue;
      const Region read = read_by(model_, step, input, part.region);
      if (!read.empty()) reach.read.push_back(access(step.inputs[input], read));
    }
    return reach;
  }

  Access access(size_t index, const Region& region) const {
    const TensorPlace& place = pass_.places[index];
    Access access{.place = index, .region = region};
    if (place.kind != TensorPlace::Kind::arena) return access;
    if (row_axis(place.held) == &Region::x) {
      access.bytes[0] = {place.offset, place.offset + bytes_of(place)};
      return access;
    }
    const int64_t row =
        bytes_of(Shape{1, place.stored.box.x.size(), place.stored.box.c.size()}, ElementType::f32);
    const int32_t first = region.y.begin - place.stored.box.y.begin, count = region.y.size();
    const auto bytes = [&](int32_t from, int32_t to) {
      return ByteRange{place.offset + from * row, place.offset + to * row};
    };
    const bool is_whole = place.rows == place.stored.box.y.size();
    if (is_whole || !place.ring) {  // of rows that move nobody knows here where they lie
      access.bytes[0] = is_whole ? bytes(first, first + count) : bytes(0, place.rows);
      return access;
    }
    const int32_t begin = first % place.rows, end = begin + count;
    access.bytes[0] = bytes(begin, std::min(end, place.rows));
    if (end > place.rows) access.bytes[1] = bytes(0, end - place.rows);
    return access;
  }

  // How many of the stretch's pieces so far must have ended before one begins.
  uint32_t after(const Reach& reach) const {
    for (size_t i = reaches_.size(); i-- > 0;)
      if (conflict(reaches_[i], reach)) return static_cast<uint32_t>(i + 1);
    return 0;
  }

  bool conflict(const Reach& a, const Reach& b) const {
    if (meet(a.written, b.written)) return true;
    for (const Access& read : b.read)
      if (meet(a.written, read)) return true;
    for (const Access& read : a.read)
      if (meet(read, b.written)) return true;
    return false;
  }

  // A column, or a channel, of one place has the same bytes in all rows that share them.
  bool meet(const Access& a, const Access& b) const {
    if (a.place == b.place &&
        (!overlap(a.region.x, b.region.x) || !overlap(a.region.c, b.region.c)))
      return false;
    if (pass_.places[a.place].kind != TensorPlace::Kind::arena)
      return a.place == b.place && overlap(a.region.y, b.region.y);
    if (pass_.places[b.place].kind != TensorPlace::Kind::arena) return false;
    for (const ByteRange& mine : a.bytes)
      for (const ByteRange& theirs : b.bytes)
        if (overlap(mine, theirs)) return true;
    return false;
  }

  const Model& model_;
  const TilePass& pass_;
  const CutForThreads& cut_;
  bool open_ = false;           // the last stretch may go on
  std::vector<Reach> reaches_;  // of the last stretch's pieces
  PassPieces pieces_;
};

}  // namespace

PassPieces cut_pass(const Model& model, const TilePass& pass, const CutForThreads& cut) {
  return Cutter(model, pass, cut).pieces();
}

PassPieces cut_pass(const Model& model, const TilePass& pass, int threads) {
  return cut_pass(model, pass, [&](const PassStep& step, const Region& region) {
    return step.runner->in_parts()->parts(region, step.pool.has_value(), threads);
  });
}

}  // namespace shingle
