// What the tests of the plugin share: pipelines that say on failure what their bus says, pictures,
// and what buffers carry.
#pragma once

#include <doctest/doctest.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <shingle/shingle.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/library/session_fixture.hpp"

namespace shingle::testing {

std::string vehicles_model();
// The properties "model" and "node-program" of this build, as words of a pipeline.
std::string infer(const std::string& model, const std::string& further = {});

// An 8-bit picture with rows as GStreamer has them (a multiple of four bytes).
struct TestPicture {
  std::string format;  // "BGR" or "RGB"
  int32_t width = 0, height = 0;
  std::vector<uint8_t> pixels{};

  size_t row_bytes() const { return (static_cast<size_t>(width) * 3 + 3) / 4 * 4; }
  std::string caps() const;
  shingle_picture view() const;
};
// A buffer of a tenth of a second with a copy of the pixels; the caller's.
GstBuffer* buffer_of(const TestPicture& picture, GstClockTime pts);
// Boxes of many colours on noise; `format` says only in which order the same colours lie.
TestPicture drawn(const std::string& format, int32_t width, int32_t height, uint64_t seed = 7);
std::string appsrc(const TestPicture& picture);  // named "in", for pictures of this kind

// What a buffer carries for a box.
struct CarriedBox {
  std::string label;
  int32_t id = 0, label_id = 0;
  uint32_t x = 0, y = 0, width = 0, height = 0;
  double x_min = 0.0, x_max = 0.0, y_min = 0.0, y_max = 0.0, confidence = 0.0;
};
std::vector<CarriedBox> boxes_of(GstBuffer* buffer);
const GstStructure* frame_meta_of(GstBuffer* buffer);          // null: it has none
std::vector<uint8_t> bytes_of(const GstStructure* structure);  // its field "data"

struct UnrefSample {
  void operator()(GstSample* sample) const { gst_sample_unref(sample); }
};
using Sample = std::unique_ptr<GstSample, UnrefSample>;

// What the bus said last.
struct BusWord {
  std::string source, text, debug;
  GQuark domain = 0;
  int code = 0;
  std::string line() const { return source + ": " + text + " [" + debug + "]"; }
};
BusWord word_of(GstMessage* message);  // REQUIRES: it is an error

class Pipeline {
 public:
  // The test fails if the description is wrong.
  explicit Pipeline(const std::string& description);
  ~Pipeline();  // takes it to NULL
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  GstElement* element(const std::string& name) const;  // borrowed; the test fails if there is none
  bool starts() const;             // takes it to PLAYING; false: that failed at once
  void play() const;               // fails the test with what the bus says, if it does not start
  void set(GstState state) const;  // and waits for it
  std::string end();  // at most a minute: "end of stream", or "error: " and the bus's line
  // What the bus has of this kind now, each once.
  std::vector<BusWord> errors() const;
  size_t messages(GstMessageType type) const;

  void give(const TestPicture& picture, GstClockTime pts) const;  // to "in"
  void give_end() const;
  Sample pulled() const;  // from "out"; null: its stream has ended. At most a minute
  guint64 figure(const std::string& property) const;  // of "infer"
  guint64 stat(const std::string& field) const;

 private:
  std::string what_the_bus_says() const;

  GstElement* pipeline_ = nullptr;
  GstBus* bus_ = nullptr;
};

// What the element makes of one picture. The test fails if the stream does not end well.
Sample sample_of(const TestPicture& picture, const std::string& element);

// Initialises GStreamer with this build's plugin and a registry of its own, once. What GLib calls
// critical, a wrong use of a function, ends the test program.
void start_gstreamer();

}  // namespace shingle::testing
