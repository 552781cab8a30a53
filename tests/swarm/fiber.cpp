#include "tests/swarm/fiber.hpp"

#include <utility>

// Functions of the sanitizers. They are null in a program that is built without sanitizers.
extern "C" {
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** frames, const void* bottom, size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* frames, const void** bottom,
                                                   size_t* bytes);
}

namespace shingle::swarm {

namespace {

constexpr size_t stack_bytes = size_t{512} << 10;

thread_local Fiber* beginning = nullptr;

}  // namespace

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(std::make_unique_for_overwrite<std::byte[]>(stack_bytes)) {
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_.get();
  inside_.uc_stack.ss_size = stack_bytes;
  makecontext(&inside_, &Fiber::begin, 0);
  if (__tsan_create_fiber != nullptr) tsan_inside_ = __tsan_create_fiber(0);
}

Fiber::~Fiber() {
  if (tsan_inside_ != nullptr) __tsan_destroy_fiber(tsan_inside_);
}

void Fiber::begin() {
  Fiber& self = *beginning;
  if (__sanitizer_finish_switch_fiber != nullptr)
    __sanitizer_finish_switch_fiber(nullptr, &self.outside_stack_, &self.outside_bytes_);
  self.body_();
}

void Fiber::enter() {
  beginning = this;
  void* frames = nullptr;
  if (__sanitizer_start_switch_fiber != nullptr)
    __sanitizer_start_switch_fiber(&frames, stack_.get(), stack_bytes);
  if (tsan_inside_ != nullptr) {
    tsan_outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_inside_, 0);
  }
  swapcontext(&outside_, &inside_);
  if (__sanitizer_finish_switch_fiber != nullptr)
    __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
}

void Fiber::leave() {
  if (__sanitizer_start_switch_fiber != nullptr)
    __sanitizer_start_switch_fiber(&asan_frames_, outside_stack_, outside_bytes_);
  if (tsan_outside_ != nullptr) __tsan_switch_to_fiber(tsan_outside_, 0);
  swapcontext(&inside_, &outside_);
  if (__sanitizer_finish_switch_fiber != nullptr)
    __sanitizer_finish_switch_fiber(asan_frames_, &outside_stack_, &outside_bytes_);
}

}  // namespace shingle::swarm
