#include "apps/drone/slices/choice.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::drone {
namespace {

constexpr double never = -1e9;
constexpr double often = 5.0;        // as other places, where vehicles appear
constexpr double most_urgent = 3.0;  // a cell that was never seen counts no more
constexpr double most_urgent_vehicle = 20.0;
constexpr double mean_urgency = 0.5;  // of cells that become due one after the other
constexpr int steps_per_slice = 8;
constexpr double vehicle_weight = 1e6;  // against all cells together

struct WaitingVehicle {
  PixelBox box{};
  double urgency = 1.0;  // 1: due now
};

// Columns or rows of cells whose middles lie in [from, to).
struct CellRange {
  int first = 0, end = 0;
};

CellRange cells_in(double from, double to, double picture, int cells) {
  const double size = picture / cells;
  const auto index = [&](double at) {
    return std::clamp(static_cast<int>(std::ceil(at / size - 0.5)), 0, cells);
  };
  return {index(from), index(to)};
}

struct Candidate {
  PictureSlice slice{};
  PixelBox inner{};
  CellRange columns{}, rows{};
};

std::vector<double> positions(double whole, double slice) {
  std::vector<double> all;
  const double step = std::max(1.0, slice / steps_per_slice);
  for (double at = 0.0; at < whole - slice; at += step) all.push_back(at);
  all.push_back(std::max(0.0, whole - slice));
  return all;
}

std::vector<Candidate> candidates_of(const SliceGeometry& geometry) {
  const double rows = input_rows(geometry, geometry.picture_height);
  std::vector<Candidate> all;
  for (const double below : positions(rows, geometry.input_height)) {
    PictureSlice slice = slice_below(geometry, below);
    for (const double x : positions(geometry.picture_width, slice.width)) {
      slice.x = static_cast<int>(x);
      Candidate each{.slice = slice};
      each.inner = inner_part(each.slice, geometry);
      each.columns =
          cells_in(each.inner.x, each.inner.right(), geometry.picture_width, cell_columns);
      each.rows = cells_in(each.inner.y, each.inner.bottom(), geometry.picture_height, cell_rows);
      all.push_back(each);
    }
  }
  return all;
}

// Sums over rectangles of cells in constant time.
class CellSums {
 public:
  template <class Weight>
  explicit CellSums(Weight weight) {
    for (int row = 0; row < cell_rows; ++row)
      for (int column = 0; column < cell_columns; ++column)
        at(column + 1, row + 1) = weight(static_cast<size_t>(row * cell_columns + column)) +
                                  at(column, row + 1) + at(column + 1, row) - at(column, row);
  }
  double all() const { return at(cell_columns, cell_rows); }
  double over(const Candidate& each) const {
    return at(each.columns.end, each.rows.end) - at(each.columns.first, each.rows.end) -
           at(each.columns.end, each.rows.first) + at(each.columns.first, each.rows.first);
  }

 private:
  double& at(int column, int row) {
    return sums_[static_cast<size_t>(row * (cell_columns + 1) + column)];
  }
  double at(int column, int row) const {
    return sums_[static_cast<size_t>(row * (cell_columns + 1) + column)];
  }
  std::array<double, (cell_columns + 1) * (cell_rows + 1)> sums_{};
};

bool holds(const Candidate& each, const PixelBox& box, const SliceGeometry& geometry) {
  const PixelBox slice{static_cast<double>(each.slice.x), static_cast<double>(each.slice.y),
                       static_cast<double>(each.slice.width),
                       static_cast<double>(each.slice.height)};
  const double left = std::max(box.x, 0.0), top = std::max(box.y, 0.0);
  const double right = std::min<double>(box.right(), geometry.picture_width);
  const double bottom = std::min<double>(box.bottom(), geometry.picture_height);
  return left >= slice.x && top >= slice.y && right <= slice.right() && bottom <= slice.bottom();
}

bool is_in_picture(const PixelBox& box, const SliceGeometry& geometry) {
  return box.right() > 0.0 && box.bottom() > 0.0 && box.x < geometry.picture_width &&
         box.y < geometry.picture_height;
}

// One picture's choice, slice by slice.
class Round {
 public:
  Round(const SliceGeometry& geometry, const std::array<double, cell_count>& urgencies,
        std::span<const WaitingVehicle> vehicles, size_t most)
      : geometry_(geometry),
        candidates_(candidates_of(geometry)),
        urgencies_(urgencies),
        most_(most) {
    for (const auto& [box, urgency] : vehicles)
      if (is_in_picture(box, geometry)) vehicles_.push_back({reachable(box), urgency});
  }

  void take_vehicles() {
    const auto is_due = [](const WaitingVehicle& each) { return each.urgency >= 1.0; };
    while (std::ranges::any_of(vehicles_, is_due)) take(best(urgencies_, vehicle_weight));
  }

  void take_due() {
    while (true) {
      std::array<double, cell_count> due = urgencies_;
      for (double& urgency : due) urgency = urgency >= 1.0 ? urgency : 0.0;
      const Candidate& most = best(due, 0.0);
      // A cell that is due has an urgency of 1 or more; less is rounding.
      if (CellSums([&](size_t cell) { return due[cell]; }).over(most) < 0.5) return;
      take(most);
    }
  }

  void take_oldest() {
    const auto mean = [this] {
      return CellSums([this](size_t cell) { return urgencies_[cell]; }).all() / cell_count;
    };
    while (taken_.empty() || (taken_.size() < most_ && mean() > mean_urgency))
      take(best(urgencies_, 0.0));
  }

  std::vector<Candidate> taken() && { return std::move(taken_); }
  size_t left_out() const { return left_out_; }

 private:
  // What no slice holds is looked at in the middle.
  PixelBox reachable(const PixelBox& box) const {
    const auto held = [&](const Candidate& each) { return holds(each, box, geometry_); };
    if (std::ranges::any_of(candidates_, held)) return box;
    return {std::clamp(box.x + box.w / 2.0, 0.0, geometry_.picture_width - 1.0),
            std::clamp(box.y + box.h / 2.0, 0.0, geometry_.picture_height - 1.0), 0.0, 0.0};
  }

  const Candidate& best(const std::array<double, cell_count>& weights, double of_vehicle) const {
    const CellSums sums([&](size_t cell) { return weights[cell]; });
    double most = -1.0;
    const Candidate* found = &candidates_.front();
    for (const Candidate& each : candidates_) {
      double held = 0.0;
      if (of_vehicle > 0.0)
        for (const auto& [box, urgency] : vehicles_)
          if (holds(each, box, geometry_)) held += urgency;
      const double weight = sums.over(each) + of_vehicle * held;
      if (weight > most) most = weight, found = &each;
    }
    return *found;
  }

  void take(const Candidate& each) {
    for (int row = each.rows.first; row < each.rows.end; ++row)
      for (int column = each.columns.first; column < each.columns.end; ++column)
        urgencies_[static_cast<size_t>(row * cell_columns + column)] = 0.0;
    std::erase_if(vehicles_, [&](const WaitingVehicle& vehicle) {
      return holds(each, vehicle.box, geometry_);
    });
    if (taken_.size() < most_)
      taken_.push_back(each);
    else
      ++left_out_;
  }

  const SliceGeometry geometry_;
  const std::vector<Candidate> candidates_;
  std::array<double, cell_count> urgencies_;
  std::vector<WaitingVehicle> vehicles_{};  // that no slice holds yet
  const size_t most_;
  std::vector<Candidate> taken_{};
  size_t left_out_ = 0;
};

}  // namespace

SliceChooser::SliceChooser(double full_every_seconds) : full_every_(full_every_seconds) {
  assert(full_every_ > 0.0);
  seen_.fill(never);
}

void SliceChooser::saw_all(double seconds) {
  seen_.fill(seconds);
  last_ = seconds;
  has_begun_ = true;
}

// `ahead`: seconds until the next picture.
SliceChooser::Urgencies SliceChooser::urgencies(const SliceGeometry& geometry,
                                                const SliceNeeds& needs, double ahead) const {
  const double width = geometry.picture_width, height = geometry.picture_height;
  const double rows = input_rows(geometry, height);
  const CellRange between = cells_in(picture_row(geometry, slice_margin),
                                     picture_row(geometry, rows - slice_margin), height, cell_rows);
  Urgencies all{};
  for (int row = 0; row < cell_rows; ++row) {
    const double margin = slice_margin * shrink_at(geometry, (row + 0.5) * height / cell_rows);
    const CellRange inside = cells_in(margin, width - margin, width, cell_columns);
    for (int column = 0; column < cell_columns; ++column) {
      const auto cell = static_cast<size_t>(row * cell_columns + column);
      const bool is_border = column < inside.first || column >= inside.end || row < between.first ||
                             row >= between.end;
      const bool is_road = needs.road != nullptr && (*needs.road)[cell];
      const bool appear = needs.road != nullptr ? is_road : is_border;
      const double period = appear ? full_every_ / often : full_every_;
      const double age = needs.seconds - seen_[cell];
      const double urgency = std::min(age / period, most_urgent);
      all[cell] = age + ahead > period ? std::max(1.0, urgency) : urgency;
    }
  }
  return all;
}

// The urgency grows with the time since a slice last showed the place of its middle.
double SliceChooser::urgency(const SliceGeometry& geometry, const FollowedVehicle& vehicle,
                             double seconds, double ahead) const {
  if (vehicle.every_seconds <= 0.0) return most_urgent_vehicle;
  const auto cell_at = [](double middle, double picture, int cells) {
    return std::clamp(static_cast<int>(middle / picture * cells), 0, cells - 1);
  };
  const PixelBox& box = vehicle.box;
  const int column = cell_at(box.x + box.w / 2.0, geometry.picture_width, cell_columns);
  const int row = cell_at(box.y + box.h / 2.0, geometry.picture_height, cell_rows);
  const double age = seconds - seen_[static_cast<size_t>(row * cell_columns + column)];
  const double urgency = std::min(age / vehicle.every_seconds, most_urgent_vehicle);
  return age + ahead > vehicle.every_seconds ? std::max(1.0, urgency) : urgency;
}

SliceChoice SliceChooser::choose(const SliceGeometry& geometry, const SliceNeeds& needs) {
  assert(!has_begun_ || needs.seconds >= last_);
  const double ahead = has_begun_ ? needs.seconds - last_ : 0.0;
  std::vector<WaitingVehicle> vehicles;
  for (const FollowedVehicle& each : needs.vehicles)
    vehicles.push_back({each.box, urgency(geometry, each, needs.seconds, ahead)});
  Round round(geometry, urgencies(geometry, needs, ahead), vehicles,
              std::max<size_t>(1, needs.most.value_or(SIZE_MAX)));
  round.take_vehicles();
  round.take_due();
  round.take_oldest();
  SliceChoice choice{.left_out = round.left_out()};
  for (const Candidate& each : std::move(round).taken()) {
    choice.slices.push_back(each.slice);
    for (int row = each.rows.first; row < each.rows.end; ++row)
      for (int column = each.columns.first; column < each.columns.end; ++column)
        seen_[static_cast<size_t>(row * cell_columns + column)] = needs.seconds;
  }
  last_ = needs.seconds;
  has_begun_ = true;
  return choice;
}

}  // namespace shingle::drone
