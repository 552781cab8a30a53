// Fiber: a function on a stack of its own, which goes on where it left whenever it is entered. All
// on the thread that made it.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace shingle::swarm {

class Fiber {
 public:
  // `body` must not return, nor let anything out that was thrown.
  explicit Fiber(std::function<void()> body);
  // REQUIRES: it has left, and nothing is on its stack that must end.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void enter();  // until it leaves. REQUIRES: nobody is in a fiber
  void leave();  // REQUIRES: in this one

 private:
  static void begin();

  const std::function<void()> body_;
  const std::unique_ptr<std::byte[]> stack_;
  ucontext_t inside_{}, outside_{};
  // What sanitizers want to be told; null without them.
  void *tsan_inside_ = nullptr, *tsan_outside_ = nullptr, *asan_frames_ = nullptr;
  const void* outside_stack_ = nullptr;
  size_t outside_bytes_ = 0;
};

}  // namespace shingle::swarm
