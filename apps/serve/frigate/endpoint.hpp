// The address to which Frigate's detectors connect, in ZeroMQ's form: ipc:///tmp/frigate or
// tcp://127.0.0.1:5555.
#pragma once

#include <string>
#include <variant>

#include "partition/base/result.hpp"

namespace shingle::serve {

struct IpcEndpoint {
  std::string path;
};
struct TcpEndpoint {
  std::string address;  // as numbers
  uint16_t port = 0;    // 0: any that is free
};
using FrigateEndpoint = std::variant<IpcEndpoint, TcpEndpoint>;

// Refuses an address that other machines reach unless `expose`.
Result<FrigateEndpoint> read_frigate_endpoint(const std::string& text, bool expose);

// Is it an address in numbers that only this machine reaches? None: it is no such address.
enum class Reach : uint8_t { this_machine, others, no_address };
Reach reach_of(const std::string& address);

// A socket that listens, closed with the object. A socket file has the mode 0660 before anybody can
// connect; a file that an earlier process left is replaced, one that is in use is not.
class Listener {
 public:
  static Result<Listener> open(const FrigateEndpoint& endpoint);
  ~Listener();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;

  int descriptor() const { return descriptor_; }
  std::string endpoint() const;  // with the port that it got

 private:
  Listener(int descriptor, FrigateEndpoint endpoint)
      : descriptor_(descriptor), endpoint_(std::move(endpoint)) {}
  int descriptor_;
  FrigateEndpoint endpoint_;
};

}  // namespace shingle::serve
