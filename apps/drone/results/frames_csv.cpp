#include "apps/drone/results/frames_csv.hpp"

#include <cmath>
#include <set>

#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/results/csv_line.hpp"
#include "apps/drone/results/field_reader.hpp"

namespace shingle::drone {
namespace {

constexpr std::string_view plain_columns = "frame,seconds,track,class,score,x,y,w,h,key_x,key_y";
constexpr std::string_view ground_columns =
    ",ground_x_m,ground_x_95,ground_y_m,ground_y_95,latitude,longitude,speed_mps,speed_95,"
    "heading_deg,heading_95,length_m,length_95,width_m,width_95";
constexpr std::string_view map_columns = ",easting_m,northing_m";
constexpr size_t plain_fields = 11, ground_fields = 14, map_fields = 2;

using Fields = std::vector<std::string_view>;

void add(std::vector<std::string>& fields, const Reading& reading, int decimals) {
  fields.push_back(csv_text(reading.value, decimals));
  fields.push_back(csv_text(reading.half_width, decimals));
}

void add(std::vector<std::string>& fields, const std::optional<PlanePoint>& point) {
  fields.push_back(point ? csv_text(point->x, 3) : std::string());
  fields.push_back(point ? csv_text(point->y, 3) : std::string());
}

// The columns of a header; none: it is no header of a run's frames.
std::optional<FrameColumns> columns_of(const std::string& header) {
  for (const bool has_ground : {false, true})
    for (const bool has_map : {false, true})
      if (const FrameColumns columns{has_ground, has_map}; header == frames_header(columns))
        return columns;
  return std::nullopt;
}

Reading reading_of(FieldReader& in) {
  const auto value = in.maybe();
  return {value, in.maybe()};
}

GroundReading ground_of(FieldReader& in) {
  GroundReading ground;
  ground.x_metres = reading_of(in);
  ground.y_metres = reading_of(in);
  ground.latitude = in.maybe();
  ground.longitude = in.maybe();
  ground.speed_mps = reading_of(in);
  ground.heading_degrees = reading_of(in);
  ground.length_metres = reading_of(in);
  ground.width_metres = reading_of(in);
  return ground;
}

constexpr double most_seconds = 1e12;

bool is_within(double value, double most) { return std::abs(value) <= most; }

bool is_possible(const Sighting& read, int64_t frame, int64_t class_id) {
  const PlanePoint key = read.key.value_or(PlanePoint{});
  return is_possible(read.box, frame, class_id) && is_within(read.seconds, most_seconds) &&
         is_within(key.x, most_coordinate) && is_within(key.y, most_coordinate) &&
         is_within(read.ground.latitude.value_or(0.0), 90.0) &&
         is_within(read.ground.longitude.value_or(0.0), 180.0);
}

std::optional<PlanePoint> point_of(FieldReader& in) {
  const auto x = in.maybe(), y = in.maybe();
  if (!x || !y) return std::nullopt;
  return PlanePoint{*x, *y};
}

Result<Sighting> sighting_of(std::string_view line, const FrameColumns& columns,
                             const std::string& name, size_t number) {
  const Fields fields = csv_fields(line);
  const size_t expected =
      plain_fields + (columns.has_ground ? ground_fields : 0) + (columns.has_map ? map_fields : 0);
  if (fields.size() != expected)
    return bad_line(name, number,
                    "has " + std::to_string(fields.size()) + " fields, and the header has " +
                        std::to_string(expected) + "; the file was changed or damaged");
  FieldReader in(fields);
  const int64_t frame = in.whole();
  Sighting read{.frame = static_cast<uint32_t>(frame), .seconds = in.number(), .track = in.whole()};
  const int64_t class_id = in.maybe_whole().value_or(-1);
  read.class_id = static_cast<int>(class_id);
  read.score = in.number();
  read.box = in.box();
  read.key = point_of(in);
  if (columns.has_ground) read.ground = ground_of(in);
  if (columns.has_map) read.map = point_of(in);
  if (in.bad_field() != 0)
    return bad_line(name, number,
                    "field " + std::to_string(in.bad_field()) + " is '" +
                        std::string(fields[in.bad_field() - 1].substr(0, 40)) +
                        "', not a number of its kind; the file was changed or damaged");
  if (!is_possible(read, frame, class_id))
    return bad_line(name, number,
                    "has a frame, class, box or position that cannot be; the file was changed or "
                    "damaged");
  return read;
}

// Frames and times grow together.
class Order {
 public:
  // Empty: fine.
  std::string refuses(const Sighting& next) {
    if (frame_ == 0 || next.frame > frame_) {
      if (frame_ != 0 && next.seconds <= seconds_)
        return "has the time " + as_written(next.seconds) +
               " s, which is not after the frame before";
      tracks_.clear();
    } else if (next.frame < frame_) {
      return "has the frame " + std::to_string(next.frame) + " after the frame " +
             std::to_string(frame_);
    } else if (next.seconds != seconds_) {
      return "gives frame " + std::to_string(next.frame) + " a second time of " +
             as_written(next.seconds) + " s";
    }
    frame_ = next.frame, seconds_ = next.seconds;
    if (!tracks_.insert(next.track).second)
      return "has the track " + std::to_string(next.track) + " twice in frame " +
             std::to_string(next.frame);
    return {};
  }

 private:
  uint32_t frame_ = 0;
  double seconds_ = 0.0;
  std::set<int64_t> tracks_{};
};

}  // namespace

std::string frames_header(const FrameColumns& columns) {
  std::string header(plain_columns);
  if (columns.has_ground) header += ground_columns;
  if (columns.has_map) header += map_columns;
  return header += '\n';
}

std::string frames_line(const Sighting& sighting, const FrameColumns& columns) {
  std::vector<std::string> fields{
      std::to_string(sighting.frame), csv_text(sighting.seconds, 6), std::to_string(sighting.track),
      sighting.class_id < 0 ? std::string() : std::to_string(sighting.class_id),
      csv_text(sighting.score, 6)};
  add_box(fields, sighting.box);
  const bool has_key = sighting.key && is_within(sighting.key->x, most_coordinate) &&
                       is_within(sighting.key->y, most_coordinate);
  add(fields, has_key ? sighting.key : std::nullopt);
  if (columns.has_ground) {
    const GroundReading& ground = sighting.ground;
    add(fields, ground.x_metres, 3);
    add(fields, ground.y_metres, 3);
    fields.push_back(csv_text(ground.latitude, 8));
    fields.push_back(csv_text(ground.longitude, 8));
    add(fields, ground.speed_mps, 3);
    add(fields, ground.heading_degrees, 2);
    add(fields, ground.length_metres, 3);
    add(fields, ground.width_metres, 3);
  }
  if (columns.has_map) add(fields, sighting.map);
  return csv_line(fields);
}

Result<FramesText> read_frames(std::string_view text, const std::string& name) {
  FramesText read;
  Order order;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      read.torn_line = number;
      break;
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 1) {
      const auto columns = columns_of(std::string(line) + "\n");
      if (!columns)
        return bad_line(name, 1,
                        "is not the header of a run's frames; give the folder that "
                        "'shingle-drone track --run' wrote");
      read.columns = *columns;
      continue;
    }
    const auto sighting = sighting_of(line, read.columns, name, number);
    if (!sighting) return sighting.failure();
    if (const std::string refused = order.refuses(*sighting); !refused.empty())
      return bad_line(name, number, refused + "; the file was changed or damaged");
    read.sightings.push_back(*sighting);
  }
  return read;
}

}  // namespace shingle::drone
