// Frames one after the other: submits them as there is room, takes results by callback and by
// future.
//
//   frames MODEL [COUNT]
#include <cstdio>
#include <cstdlib>
#include <shingle/shingle.hpp>

namespace {

int run(const char* model, int count) {
  shingle::Options options;
  options.set("model", model).set("workers", "2").log([](int level, std::string_view sentence) {
    if (level == SHINGLE_WARNING)
      std::fprintf(stderr, "frames: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
  });
  const shingle::Session session(options);
  const std::vector<shingle::TensorInfo> inputs = session.inputs();
  std::vector<std::vector<float>> values;
  std::vector<shingle::Input> frame;
  for (const shingle::TensorInfo& input : inputs) {
    values.emplace_back(input.bytes / sizeof(float), 0.5F);
    frame.push_back(shingle::tensor(values.back(), input.dims, input.name));
  }
  const shingle::Submission patient{.room_wait = std::nullopt};  // waits for room in the queue
  std::vector<std::future<shingle::Request>> results;
  for (int i = 0; i < count; ++i) results.push_back(session.submit_future(frame, patient));
  for (auto& result : results) {
    const shingle::Request request = result.get();  // throws what went wrong
    for (const shingle::Output& output : request.outputs())
      std::printf("%.*s begins with %g\n", static_cast<int>(output.name.size()), output.name.data(),
                  static_cast<double>(output.values.front()));
  }
  std::printf("%llu frames\n", static_cast<unsigned long long>(session.counters().computed));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: frames MODEL [COUNT]\n");
    return 2;
  }
  try {
    return run(argv[1], argc > 2 ? std::atoi(argv[2]) : 10);
  } catch (const shingle::Error& error) {
    std::fprintf(stderr, "frames: %s\n", error.what());
    return 1;
  }
}
