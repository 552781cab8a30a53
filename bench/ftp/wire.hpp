// Wire: DeepThings' way of talking. Each exchange opens its own TCP connection; a service takes one
// connection at a time and serves it to its end before the next.
//
// A message is a header of six 32-bit words (own byte order: the machines of a cluster agree) and
// floats. Whatever goes wrong is thrown as a sentence: a bench ends then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shingle::ftp {

struct WireError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Of a thread that cannot go on: says why and ends the program.
[[noreturn]] void give_up(const std::exception& error);

struct Place {
  std::string address = "127.0.0.1";  // IPv4
  uint16_t port = 0;
};

enum class Kind : uint32_t {
  none,     // a reply without content
  barrier,  // source to gateway: has everybody asked for work?
  register_frame,
  cancel_frame,
  over,      // no frame will come any more
  registry,  // who has tiles?
  steal,     // a tile
  share,     // an even tile's strips, to the gateway
  covered,   // gateway to source: they are there
  fetch,     // an odd tile's strips, from the gateway
  result,    // a tile's output
  wait       // source to gateway: until the frame is done
};

struct Message {
  Kind kind = Kind::none;
  uint32_t device = 0, frame = 0, tile = 0, flag = 0;
  std::vector<float> data{};
};

inline constexpr uint32_t most_floats = 64U << 20;

// Of this process, payload only.
struct Traffic {
  std::atomic<int64_t> sent_bytes{0};
};

class Connection {
 public:
  // A refused connection is tried again: the other program may not be up yet.
  Connection(const Place& place, Traffic& traffic,
             std::chrono::seconds patience = std::chrono::seconds(20));
  Connection(int descriptor, Traffic& traffic) : descriptor_(descriptor), traffic_(traffic) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void send(const Message& message);
  Message receive();

 private:
  void write(const void* bytes, size_t count);
  void read(void* bytes, size_t count);

  int descriptor_ = -1;
  Traffic& traffic_;
};

// Connects, sends, and waits for the answer.
Message ask(const Place& place, const Message& message, Traffic& traffic);
// Connects, sends and goes: whoever it is for may be busy with others still.
void tell(const Place& place, const Message& message, Traffic& traffic);

// One thread that serves from its beginning to its end. The handler answers, or does not, through
// the connection; what it throws ends the program.
class Service {
 public:
  using Handler = std::function<void(const Message&, Connection&)>;
  Service(const Place& place, Traffic& traffic, Handler handler);
  ~Service();

 private:
  void serve();
  void serve_one();

  const Place place_;
  Traffic& traffic_;
  const Handler handler_;
  int listener_ = -1;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace shingle::ftp
