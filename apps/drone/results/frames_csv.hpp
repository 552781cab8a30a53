// frames.csv: a line for each frame and track.
//
//   frame,seconds,track,class,score,x,y,w,h,key_x,key_y
//   ...,ground_x_m,ground_x_95,ground_y_m,ground_y_95,latitude,longitude,speed_mps,speed_95,
//       heading_deg,heading_95,length_m,length_95,width_m,width_95
//
//   ...,easting_m,northing_m
//
// The second part is there or not, in all lines, and so is the third, in a run's map grid
// (run.json's "crs"). x, y is the top left corner of the box in pixels;
// key_x, key_y its centre in pixels of the key frame; ground_x points east and ground_y north;
// headings are clockwise from north. *_95 is half the width of the 95 % interval, in the unit of
// the column before it. What is not known is empty, never 0. Lines come by frame.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/drone/count/sighting.hpp"
#include "partition/base/result.hpp"

namespace shingle::drone {

struct FrameColumns {  // that are there beside the plain ones
  bool has_ground = false, has_map = false;
};

std::string frames_header(const FrameColumns& columns);  // with its newline
std::string frames_line(const Sighting& sighting, const FrameColumns& columns);

struct FramesText {
  std::vector<Sighting> sightings{};
  FrameColumns columns{};
  size_t torn_line = 0;  // the last line, which has no newline and was left out; 0: there is none
};

// Reads what the writer wrote, also when it was killed. Errors name file and line: another header,
// a field that is no number, a frame or time that goes back, a track twice in a frame.
Result<FramesText> read_frames(std::string_view text, const std::string& name);

}  // namespace shingle::drone
