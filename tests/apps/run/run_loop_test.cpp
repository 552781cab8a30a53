// The loop of a run over real sessions on loopback, all in this process.
#include "apps/run/run_loop.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>

#include "apps/run/media_sink.hpp"
#include "tests/apps/small_cluster.hpp"
#include "tests/apps/verbs.hpp"

namespace shingle {
namespace {

// StopSignals blocks signals; the programs that other tests start must get them.
class SignalsKept {
 public:
  SignalsKept() { ::pthread_sigmask(SIG_SETMASK, nullptr, &before_); }
  ~SignalsKept() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  sigset_t before_{};
};

// A session with one worker, and two streams: the main model's, and one of a model whose input is
// larger than what its lane will give it.
struct TwoStreams {
  explicit TwoStreams(std::shared_ptr<const Model> main) {
    cluster.model = std::move(main);
    cluster.start_worker(0);
    FrameStreamOptions options = cluster.stream_options(1);
    options.member.open_frames = 8;
    options.member.on_trace = [this](const TraceEvent& event) {
      if (event.kind == TraceEvent::Kind::delivered) ++delivered;
    };
    session = std::move(StreamSession::start(std::move(options.member)).value());
    sound = std::move(FrameStream::open(*session, options.stream).value());
    options.stream.model = cluster.second_model;
    options.stream.rotation = {
        {grid_plan(*cluster.second_model, equal_nodes(1), {.cut_after = {}, .grid = {2, 2}})}};
    // It is asked before an error is told: the main model's frames are done then.
    options.stream.trouble = [this]() -> std::optional<std::string> {
      if (failing) CHECK(becomes_true([this] { return delivered == frames; }));
      return std::nullopt;
    };
    failing = std::move(FrameStream::open(*session, options.stream).value());
  }

  static constexpr int frames = 4;  // as many as the main stream has under way
  testing::SmallCluster cluster{1};
  std::atomic<int> delivered{0};
  std::unique_ptr<StreamSession> session;
  std::unique_ptr<FrameStream> sound, failing;
};

TEST_CASE("when a further model fails, the frames that the main model has ready are kept") {
  const SignalsKept signals_kept;
  const ScratchFolder folder;
  RunOptions options;
  options.model.path = model_in(folder);
  options.further_models = {
      "plates=" +
      folder.with_text("small.onnx", networks::to_onnx(networks::make("tiny", 16, 2).value())) +
      ":100"};
  const auto models = open_run_models(options);
  REQUIRE_MESSAGE(models.ok(), models.error());
  TwoStreams streams(models->front().model());
  std::deque<RunLane> lanes;
  lanes.emplace_back(
      LaneParts{.model = models->front(), .thresholds = {}, .stream = *streams.sound});
  lanes.emplace_back(
      LaneParts{.model = models->back(), .thresholds = {}, .stream = *streams.failing});
  auto input = MediaInput::open(clip_in(folder, TwoStreams::frames));
  REQUIRE(input.ok());
  StopSignals signals;
  MediaSink sink({});
  Progress progress(std::nullopt, false);
  RunLoop loop({.lanes = lanes,
                .input = *input,
                .signals = signals,
                .sink = sink,
                .raw_folder = folder.path(),
                .max_frames = std::nullopt},
               progress);
  const Status status = loop.run();
  REQUIRE_FALSE(status.ok());
  CHECK(has(status.error(), "bytes where the model's input"));
  CHECK(loop.summary().frames == TwoStreams::frames);
}

}  // namespace
}  // namespace shingle
