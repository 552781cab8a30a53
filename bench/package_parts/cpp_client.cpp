// A client of shingle.hpp for tools/bench package: prints what a model finds in pictures, one JSON
// object a line, with all digits of the boxes.
//
//   bench-package-cpp MODEL WORKERS <pictures       binary PPM pictures, one behind the other
#include <cstdio>
#include <deque>
#include <shingle/shingle.hpp>

namespace {

struct Pixels {
  int width = 0, height = 0;
  std::vector<uint8_t> bytes;
};

// The next picture of stdin; none: there is no further one.
std::optional<Pixels> next_picture() {
  Pixels picture;
  const int got = std::scanf("P6 %d %d 255", &picture.width, &picture.height);
  if (got == EOF) return std::nullopt;
  constexpr int most = 65'535;
  const auto is_side = [](int pixels) { return pixels > 0 && pixels <= most; };
  if (got == 2 && is_side(picture.width) && is_side(picture.height) && std::getchar() != EOF) {
    picture.bytes.resize(static_cast<size_t>(picture.width) * static_cast<size_t>(picture.height) *
                         3);
    if (std::fread(picture.bytes.data(), 1, picture.bytes.size(), stdin) == picture.bytes.size())
      return picture;
  }
  throw shingle::Error(SHINGLE_BAD_INPUT, "stdin has something else than binary PPM pictures");
}

void print(const shingle::Request& request) {
  std::printf("{\"boxes\":[");
  const char* before = "";
  for (const shingle_box& box : request.boxes()) {
    std::printf("%s[%.9g,%.9g,%.9g,%.9g,%.9g,%d]", before, double{box.x0}, double{box.y0},
                double{box.x1}, double{box.y1}, double{box.score}, box.class_id);
    before = ",";
  }
  const std::string_view findings = request.findings();
  std::printf("],\"findings\":%.*s}\n", static_cast<int>(findings.size()), findings.data());
}

void run(const char* model, const char* workers) {
  shingle::Options options;
  options.set("model", model).set("workers", workers).set("pictures", "yes");
  const shingle::Session session(options);
  const shingle::Submission patient{.room_wait = std::nullopt};
  constexpr size_t under_way = 8;
  std::deque<std::future<shingle::Request>> results;
  while (const auto picture = next_picture()) {
    results.push_back(session.submit_future(shingle::Picture{.format = SHINGLE_RGB,
                                                             .width = picture->width,
                                                             .height = picture->height,
                                                             .pixels = picture->bytes},
                                            patient));
    if (results.size() < under_way) continue;
    print(results.front().get());
    results.pop_front();
  }
  for (auto& result : results) print(result.get());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench-package-cpp MODEL WORKERS <pictures\n");
    return 2;
  }
  try {
    run(argv[1], argv[2]);
    return 0;
  } catch (const shingle::Error& error) {
    std::fprintf(stderr, "bench-package-cpp: %s\n", error.what());
    return error.code() == SHINGLE_BAD_INPUT ? 3 : 1;
  }
}
