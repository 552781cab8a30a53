#include "transport/zmq/life.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace shingle {

// Not std::random_device: it may use the processor's generator, and some return a constant.
uint64_t draw_life() {
  uint64_t life = 0;
  if (getentropy(&life, sizeof life) != 0)
    throw std::system_error(errno, std::generic_category(), "no random number from the kernel");
  return life;
}

}  // namespace shingle
