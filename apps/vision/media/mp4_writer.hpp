// Mp4Writer: an MP4 file whose pictures have times of their own, and which plays whenever the
// program that writes it ends. The file is fragmented (ISO/IEC 14496-12, 8.8): its head comes
// first and has no pictures, and each fragment is complete in itself.
//
//   ftyp moov | moof mdat | moof mdat | ..   a fragment each half second, a key picture each second
//
// What is killed lacks the fragment that was not full, and no more.
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

struct Mp4Options {
  cv::Size size;  // of each picture; odd ones gain a row or a column
  double frames_per_second =
      25.0;  // usual: of the last picture's length, and a hint to the encoder
  // libavcodec's names; the first that can be opened is used: H.264, else MPEG-4.
  std::vector<std::string> encoders{"libx264", "libopenh264", "mpeg4"};
};

class Mp4Writer {
 public:
  // Replaces the file. Errors: it cannot be made; no encoder.
  static Result<Mp4Writer> open(const std::string& path, const Mp4Options& options);
  Mp4Writer(Mp4Writer&& other) noexcept;
  Mp4Writer& operator=(Mp4Writer&& other) noexcept;
  ~Mp4Writer();  // without close(): as if the program was killed

  // `picture` is 8-bit BGR, `seconds` when it is shown, kept to 1/60000 s. Errors: another size; a
  // time that does not grow; what the system says of the file. After the latter the file has whole
  // fragments only, and all further calls give the same error.
  Status write(const cv::Mat& picture, double seconds);

  // Writes what is left and the end. Safe to call again.
  Status close();

 private:
  struct State;
  explicit Mp4Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingle
