// The programs of FTP's scheme (partition/deepthings/ftp.hpp), thread for thread as in DeepThings:
//
//   Gateway  registry thread: who has tiles, strips in and out | results thread | merging: the rest
//   Source   main: tiles of its own queue | service thread: steals, what is covered | results out
//   Thief    main: asks the gateway, then the source, computes                      | results out
//
// Each makes an object, prepares it (weights are packed then) and runs it; frames end when the
// source has had so many. Whatever goes wrong is thrown as a sentence.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "bench/ftp/tile_by_layers.hpp"
#include "bench/ftp/wire.hpp"
#include "devices/measure/pace.hpp"

namespace shingle::ftp {

struct Places {
  Place registry, results, waiting;  // the gateway's services
  Place source;
};

// What all programs of a cluster know. The references must outlive them.
struct Setup {
  const Block& block;
  const Places& places;
  Executor& executor;
  Pacer& pacer;
  Traffic& traffic;
  uint32_t device = 0;   // 0 is the source
  uint32_t devices = 1;  // the source included
  std::chrono::milliseconds poll{100};
};

// Strips of an odd tile by the side that they come from: bits 0 to 3, above, below, left, right.
inline constexpr uint32_t all_sides = 15;
uint32_t side_of(const FtpStrip& strip, int32_t columns);

// Computes tiles one after the other, hands strips on, and sends results from a thread of its own.
class Worker {
 public:
  explicit Worker(const Setup& setup);
  ~Worker();

  void prepare();
  std::vector<Floats> fetch(uint32_t frame, uint32_t tile, uint32_t sides);
  // The strips that it made, for whoever keeps some.
  std::vector<Floats> compute(uint32_t frame, uint32_t tile, bool reuses, const Floats& input,
                              const std::vector<Floats>& strips);

 private:
  void send_results();

  const Setup setup_;
  TileByLayers pass_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> results_;
  bool ended_ = false;
  std::thread sender_;
};

class Thief {
 public:
  explicit Thief(const Setup& setup) : setup_(setup), worker_(setup) {}
  void prepare() { worker_.prepare(); }
  void run();  // until the gateway says that it is over

 private:
  bool steal();  // and compute; false if there was nothing

  const Setup setup_;
  Worker worker_;
};

struct FrameTime {
  double seconds = 0.0;     // from capture until the gateway has the network's output
  int32_t rolled_back = 0;  // tiles
};

class Source {
 public:
  explicit Source(const Setup& setup);
  void prepare() { worker_.prepare(); }
  void wait_for_all();
  FrameTime run(uint32_t frame, Floats input);
  void end();  // no frame will come any more

 private:
  struct Taken {
    uint32_t tile = 0;
    bool reuses = false;
  };
  void open(uint32_t frame, Floats input);
  std::optional<Taken> take();
  void work(uint32_t frame, const Taken& taken);
  void serve(const Message& message, Connection& connection);
  Floats input_of(const Taken& taken) const;
  const Floats& kept_of(const FtpStrip& strip) const;

  const Setup setup_;
  Worker worker_;
  std::mutex mutex_;  // guards what follows, up to rolled_back_
  std::deque<uint32_t> queue_;
  std::vector<bool> covered_, made_elsewhere_;  // by tile
  int32_t rolled_back_ = 0;
  uint32_t frame_ =
      0;  // this and the next change between frames only, when there is no tile to take
  Floats input_;
  std::vector<std::vector<Floats>> kept_;  // by tile: strips that it made itself; main thread only
  Service service_;                        // last: its thread uses all the others
};

// Of one frame, when all of it is there.
struct Merged {
  uint32_t frame = 0;
  std::vector<Floats> outputs;  // the network's
  double rest_seconds = 0.0;    // what the layers behind the block took
};

class Gateway {
 public:
  Gateway(const Setup& setup, std::function<void(const Merged&)> on_merged);
  void prepare();
  void run();  // until the source says that it is over, and everybody knows

 private:
  void serve_registry(const Message& message, Connection& connection);
  Message answer(const Message& thief);
  void store_strips(const Message& message);
  Message strips_of(uint32_t tile, uint32_t sides) const;
  void store_result(const Message& message);
  void wait_for(const Message& message, Connection& connection);
  Merged merge(uint32_t frame, const std::vector<Floats>& parts);
  bool all_know() const { return over_ && told_over_ + 1 >= setup_.devices; }

  const Setup setup_;
  const std::function<void(const Merged&)> on_merged_;
  // Registry thread only: by even tile its strips; who has asked for work; is there a frame?
  std::vector<std::vector<Floats>> pool_;
  std::vector<bool> asked_;
  bool registered_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<Floats> parts_;  // by tile
  size_t arrived_ = 0;
  std::optional<uint32_t> complete_;  // a frame whose parts are all there
  std::optional<uint32_t> done_;      // the latest one that is computed
  bool over_ = false;
  uint32_t told_over_ = 0;                // thieves
  Service registry_, results_, waiting_;  // last: their threads use all the others
};

}  // namespace shingle::ftp
