// FrameResult: what is told of one frame, as a line for programs or for people.
#pragma once

#include <cstdint>
#include <string>

#include "apps/findings/class_names.hpp"
#include "apps/findings/finding.hpp"

namespace shingle {

struct FrameResult {
  uint64_t frame = 0;
  std::string name;     // of the image; empty for videos
  std::string model{};  // the further model's name; empty: the main one
  double milliseconds = 0.0;
  Finding finding;
  bool late = false;  // it missed its deadline and there is nothing to tell of it
};
// A line for programs, with one of
//   "boxes":[{"class":2,"name":"car","score":0.81,"x":1,"y":2,"w":3,"h":4}]
//   "mask":{"w":640,"h":480,"classes":[{"class":3,"name":"road","share":0.4}],"runs":[3,9,0,2..]}
//   "best":[{"class":7,"name":"tench","score":0.93}]
//   "turned":[{"class":0,"name":"plane","score":0.9,"cx":5,"cy":6,"w":3,"h":2,"angle":30,
//              "corners":[[3,5],..]}]      degrees, clockwise
//   "map":{"w":640,"h":480,"least":0.1,"most":9.5,"grid":{"columns":16,"rows":12,"means":[..]}}
//   "picture":{"w":1280,"h":960}
//   "text":"EXIT","letters":[15,34,19,30],"score":0.98
//   "features":[0.1,-0.2,..]
// or none of them where nobody interpreted the outputs, and with "missed_deadline":true for a frame
// that came too late. Runs are class and length, row by row. A box may have a "mask" in its pixels,
// {"x":1,"y":2,"w":3,"h":4,"runs":[5,2,..]}, so many outside and so many inside the object in turn,
// or "points":[[x,y,score],..]. A further model's line has
// "model":"NAME" before "ms".
std::string json_line(const FrameResult& result, const ClassNames& names);
// And for people: "photo.jpg: 3 car, 1 truck (81 ms)", of a further model "photo.jpg [NAME]: ..."
std::string text_line(const FrameResult& result, const ClassNames& names);

}  // namespace shingle
