// FTP's protocol (ftp.hpp) in virtual time: one fiber for each thread of DeepThings' programs.
#pragma once

#include <optional>

#include "partition/deepthings/ftp_frame.hpp"
#include "partition/deepthings/virtual_time.hpp"

namespace shingle {

class FtpSimulation {
 public:
  // Both must outlive this object.
  FtpSimulation(const FtpFrame& frame, const FtpChance& chance);

  FtpRun run();

 private:
  struct Device {  // or the gateway
    explicit Device(VirtualTime& time) : results(time), handing_on(time) {}
    OneAtATime results;      // the thread that sends results
    OneAtATime handing_on;   // strips to the kernel
    Duration packet_time{};  // of its processor, since its tile began
    Time radio_used{};
    FtpUse use{};
  };
  struct Task {  // a tile of a frame
    uint32_t frame = 0, tile = 0;
  };
  struct Taken {
    Task task{};
    bool reuses = false;
  };

  // Messages there and back, each sent when the one before it has arrived. A fiber awaits it.
  // Devices that find no tiles exchange thousands, so it is no fiber itself.
  class Exchange {
   public:
    Exchange(FtpSimulation& all, uint32_t from, uint32_t to, int64_t bytes, int32_t messages,
             OneAtATime* sender = nullptr)
        : all_(all), from_(from), to_(to), bytes_(bytes), left_(messages), sender_(sender) {}
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> fiber) {
      fiber_ = fiber;
      begin();
    }
    void await_resume() const {}

   private:
    void begin();  // now, or when the receiver's radio wakes
    void send();
    void arrive();

    FtpSimulation& all_;
    uint32_t from_, to_;
    int64_t bytes_;
    int32_t left_;
    OneAtATime* sender_;  // is left when the kernel has the data; null: nobody waits for that
    std::coroutine_handle<> fiber_{};
  };

  struct Known {                       // what the source knows of a frame, by tile
    std::vector<bool> covered;         // its strips are at the gateway
    std::vector<bool> made_elsewhere;  // by another device
  };

  Fiber source();
  Fiber change_registry(bool has_tiles);
  Fiber thief(uint32_t device, Duration begins);
  Fiber ask_registry(uint32_t device, bool& has_tiles);
  Fiber steal(uint32_t device, std::optional<Taken>& taken);
  Fiber fetch_shared(uint32_t device, Task task);
  Fiber compute(uint32_t device, Taken taken);
  Fiber hand_on_shared(uint32_t device, Task task);
  Fiber deliver_shared(uint32_t device, Task task);
  Fiber tell_covered(Task task);
  Fiber send_result(uint32_t device, uint32_t tile);
  Fiber merge();
  Exchange connect(uint32_t from, uint32_t to);
  Exchange ask(uint32_t from, uint32_t to);
  Exchange answer(uint32_t from, uint32_t to);
  Exchange transfer(uint32_t from, uint32_t to, int64_t bytes, OneAtATime& sender);
  Fiber run_tile(uint32_t device, Duration time);
  Duration sleeping(uint32_t device);
  void use_processors(uint32_t from, uint32_t to, int64_t bytes);

  std::optional<Taken> take();
  bool is_covered(Task task) const;
  int64_t shared_bytes(Task task, bool made_elsewhere_only) const;
  Duration drawn(uint32_t device, Duration time);

  const FtpFrame& frame_;
  const FtpChance& chance_;
  const FtpScheme& scheme_;
  const std::vector<FtpTile>& tiles_;
  const uint32_t gateway_;
  Dice dice_;
  Duration beacon_offset_{};
  VirtualTime time_;
  OneAtATime source_service_, gateway_service_, result_service_, merging_;
  std::vector<Device> devices_;  // the gateway is the last one
  std::deque<Task> queue_;       // of the source
  bool registered_ = false;
  std::vector<Known> known_;  // by frame
  size_t results_ = 0;        // of all frames
  uint32_t merged_ = 0;
  FtpRun run_;
};

}  // namespace shingle
