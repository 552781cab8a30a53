// Fiber: a function with its own stack. enter() continues it at the place where it last called
// leave(). All calls come from the thread that made the fiber.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace shingle::swarm {

class Fiber {
 public:
  // `body` must neither return nor throw.
  explicit Fiber(std::function<void()> body);
  // REQUIRES: the fiber has left, and no object on its stack needs its destructor.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void enter();  // returns when the fiber leaves. REQUIRES: no fiber runs
  void leave();  // REQUIRES: this fiber runs

 private:
  static void begin();

  const std::function<void()> body_;
  const std::unique_ptr<std::byte[]> stack_;
  ucontext_t inside_{}, outside_{};
  // For the sanitizers, which must know of each switch of stacks; null without them.
  void *tsan_inside_ = nullptr, *tsan_outside_ = nullptr, *asan_frames_ = nullptr;
  const void* outside_stack_ = nullptr;
  size_t outside_bytes_ = 0;
};

}  // namespace shingle::swarm
