// How a video's pictures are turned before they are shown. Where libavformat keeps that depends on
// its generation, so CMake selects one of two files.
#pragma once

struct AVStream;

namespace shingle::av {

// Degrees clockwise, from 0 to below 360.
double turn_of(const AVStream& stream);

// Of a display matrix (libavutil/display.h). Null: 0.
double turn_of_matrix(const unsigned char* matrix);

}  // namespace shingle::av
