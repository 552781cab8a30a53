// FTP's protocol (ftp.hpp) in virtual time: one fiber for each thread of DeepThings' programs.
#pragma once

#include <optional>

#include "partition/deepthings/ftp_tiles.hpp"
#include "partition/deepthings/virtual_time.hpp"

namespace shingle {

// The time that each device needs for a tile, in each of the two ways; devices by index in the
// cluster.
struct FtpTileTime {
  Duration alone{}, reusing{};
};

class FtpSimulation {
 public:
  // The cluster's first node is the source, its last one the gateway. All arguments must outlive
  // this object.
  FtpSimulation(const Cluster& cluster, const FtpScheme& scheme, const std::vector<FtpTile>& tiles,
                const std::vector<std::vector<FtpTileTime>>& times, Duration rest);

  FtpRun run();

 private:
  struct Device {
    explicit Device(VirtualTime& time) : results(time) {}
    OneAtATime results;  // the thread that sends results
  };
  struct Taken {
    uint32_t tile = 0;
    bool reuses = false;
  };

  struct Known {                       // what the source knows, by tile
    std::vector<bool> covered;         // its strips are at the gateway
    std::vector<bool> made_elsewhere;  // by another device
  };

  Fiber source();
  Fiber thief(uint32_t device);
  Fiber ask_registry(uint32_t device, bool& has_tiles);
  Fiber steal(uint32_t device, std::optional<Taken>& taken);
  Fiber fetch_shared(uint32_t device, uint32_t tile);
  Fiber compute(uint32_t device, Taken taken);
  Fiber hand_on_shared(uint32_t device, uint32_t tile);
  Fiber tell_covered(uint32_t tile);
  Fiber send_result(uint32_t device, uint32_t tile);
  Fiber connect(uint32_t from, uint32_t to);

  std::optional<Taken> take();
  bool is_covered(uint32_t tile) const;
  int64_t shared_bytes(uint32_t tile, bool made_elsewhere_only) const;

  const FtpScheme scheme_;
  const std::vector<FtpTile>& tiles_;
  const std::vector<std::vector<FtpTileTime>>& times_;
  const Duration rest_;
  const uint32_t gateway_;
  VirtualTime time_;
  OneAtATime source_service_, gateway_service_, result_service_;
  std::deque<Device> devices_;
  std::deque<uint32_t> queue_;  // of the source
  bool registered_ = false;
  Known known_;
  size_t results_ = 0;
  FtpRun run_;
};

}  // namespace shingle
