#include "devices/pass/pass_access.hpp"

#include <algorithm>

namespace shingle {

namespace {

bool overlap(const ByteRange& a, const ByteRange& b) { return a.begin < b.end && b.begin < a.end; }
bool overlap(Span a, Span b) { return a.begin < b.end && b.begin < a.end; }

// In parts that do not overlap; nobody asks where in the bytes they lie.
Span nth(Span span, int32_t count, int32_t index) {
  const auto border = [&](int64_t i) {
    return span.begin + static_cast<int32_t>(span.size() * i / count);
  };
  return {border(index), border(int64_t{index} + 1)};
}

}  // namespace

void Reach::add(const Reach& later) {
  for (const Access& access : later.read) {
    const bool own = std::ranges::any_of(written, [&](const Access& mine) {
      return mine.place == access.place && contains(mine.region, access.region);
    });
    if (!own) read.push_back(access);
  }
  written.insert(written.end(), later.written.begin(), later.written.end());
}

Reach PassAccess::of_part(const PassStep& step, const LayerPart& part, FirstRows rows) const {
  Reach reach{.written = {access(step.output, part.written, rows[1])}, .read = {}};
  for (size_t input = 0; input < step.inputs.size(); ++input) {
    const size_t place = step.inputs[input];
    if (pass_.places[place].kind == TensorPlace::Kind::absent) continue;
    if (step.runner->reads_once(input)) continue;
    const Region read = read_by(model_, step, input, part.region);
    if (!read.empty()) reach.read.push_back(access(place, read, rows[2 + input]));
  }
  if (step.kept) reach.read.push_back(whole(*step.kept));
  return reach;
}

Reach PassAccess::of_kept(const PassStep& step, int32_t index, int32_t count,
                          FirstRows rows) const {
  Reach reach{.written = {whole(*step.kept)}, .read = {}};
  Span& floats = reach.written[0].region.c;
  floats = nth(floats, count, index);
  for (size_t input = 0; input < step.inputs.size(); ++input) {
    if (!step.runner->reads_once(input)) continue;
    const Region read = read_by(model_, step, input, step.region);
    if (!read.empty()) reach.read.push_back(access(step.inputs[input], read, rows[2 + input]));
  }
  return reach;
}

Reach PassAccess::of_move(const PassStep& step) const {
  return {.written = {whole(step.output)}, .read = {}};
}

Access PassAccess::whole(size_t index) const {
  const TensorPlace& place = pass_.places[index];
  Access access{.place = index, .region = place.held};
  if (place.kind == TensorPlace::Kind::arena)
    access.bytes[0] = {place.offset, place.offset + bytes_of(place)};
  return access;
}

Access PassAccess::access(size_t index, const Region& region, int32_t first_row) const {
  const TensorPlace& place = pass_.places[index];
  Access access{.place = index, .region = region};
  if (place.kind != TensorPlace::Kind::arena) return access;
  const auto axis = row_axis(place.held);
  Region one = place.stored.box;
  one.*axis = {0, 1};
  const int64_t row = bytes_of(one, ElementType::f32);
  const auto bytes = [&](int32_t from, int32_t to) {
    return ByteRange{place.offset + from * row, place.offset + to * row};
  };
  const int32_t first = (region.*axis).begin - first_row, count = (region.*axis).size();
  if (!place.ring || place.rows == (place.stored.box.*axis).size()) {
    access.bytes[0] = bytes(first, first + count);
    return access;
  }
  const int32_t begin = first % place.rows, end = begin + count;
  access.bytes[0] = bytes(begin, std::min(end, place.rows));
  if (end > place.rows) access.bytes[1] = bytes(0, end - place.rows);
  return access;
}

bool PassAccess::conflict(const Reach& a, const Reach& b) const {
  return meet(a.written, b.written) || meet(a.written, b.read) || meet(a.read, b.written);
}

bool PassAccess::meet(const std::vector<Access>& a, const std::vector<Access>& b) const {
  return std::ranges::any_of(a, [&](const Access& mine) {
    return std::ranges::any_of(b, [&](const Access& theirs) { return meet(mine, theirs); });
  });
}

// A column, or a channel, of one place has the same bytes in all rows that share them. (Where
// columns are the rows, only a channel.)
bool PassAccess::meet(const Access& a, const Access& b) const {
  const TensorPlace &mine = pass_.places[a.place], &theirs = pass_.places[b.place];
  if (a.place == b.place) {
    const bool arena = mine.kind == TensorPlace::Kind::arena;
    const bool columns = !arena || row_axis(mine.held) == &Region::y;
    if (columns && !overlap(a.region.x, b.region.x)) return false;
    if (!overlap(a.region.c, b.region.c)) return false;
    if (!arena) return overlap(a.region.y, b.region.y);
  }
  if (mine.kind != TensorPlace::Kind::arena || theirs.kind != TensorPlace::Kind::arena)
    return false;
  for (const ByteRange& some : a.bytes)
    for (const ByteRange& others : b.bytes)
      if (overlap(some, others)) return true;
  return false;
}

}  // namespace shingle
