#include "tests/swarm/stage.hpp"

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/swarm/fiber.hpp"

namespace shingle::swarm {

namespace {

// Far longer than the work of a worker or of a driver takes, also on a busy machine.
constexpr std::chrono::seconds surely_blocked{60};

}  // namespace

// Ends the program if the stage has made no step for too long.
class Stage::Watchdog {
 public:
  explicit Watchdog(uint64_t seed) : seed_(seed), thread_([this] { run(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  std::atomic<uint64_t> steps{0};

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      const uint64_t before = steps;
      if (changed_.wait_for(lock, surely_blocked, [this] { return ends_; })) return;
      if (steps != before || before == 0) continue;
      std::fprintf(stderr,
                   "driver seed %llu: somebody waits for a lock that a worker holds while it "
                   "works\n",
                   static_cast<unsigned long long>(seed_));
      std::abort();
    }
  }

  const uint64_t seed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

class Stage::Hand final : public Worker {
 public:
  Hand(Stage& its_stage, Crew& its_crew, Work its_work)
      : stage(its_stage),
        crew(its_crew),
        id(++its_stage.hands_so_far_),
        work_(std::move(its_work)),
        fiber_([this] { run(); }) {
    stage.hands_.emplace(id, this);
  }
  // REQUIRES: it is not at work.
  ~Hand() override {
    assert(!at_work);
    stage.hands_.erase(id);
  }

  void wake() override {
    if (std::exchange(woken, true)) return;
    if (!at_work) stage.call(id);
  }

  void go_on() { fiber_.enter(); }
  void go_back() { fiber_.leave(); }

  Stage& stage;
  Crew& crew;
  const uint64_t id;
  bool at_work = false, woken = false;

 private:
  void run() {
    while (true) {
      at_work = true;
      woken = false;
      try {
        if (work_()) woken = true;
      } catch (const std::exception& thrown) {
        stage.breaches_.push_back(std::string("a worker's thread ends with ") + thrown.what());
      }
      at_work = false;
      go_back();
    }
  }

  const Work work_;
  Fiber fiber_;
};

Stage::Stage(uint64_t seed) : random_(seed), watchdog_(std::make_unique<Watchdog>(seed)) {}
Stage::~Stage() { assert(hands_.empty()); }

void Stage::run(Time end) {
  while (!queue_.empty() && queue_.next_at() <= end) {
    const std::function<void()> what = queue_.take();
    now_ = queue_.now();
    watchdog_->steps = ++events_;
    what();
  }
  now_ = end;
}

std::unique_ptr<Worker> Stage::worker(Crew& crew, Worker::Work work) {
  return std::make_unique<Hand>(*this, crew, std::move(work));
}

void Stage::call(uint64_t hand) {
  in(std::chrono::microseconds(random_.between(1, 60)), [this, hand] { resume(hand); });
}

void Stage::resume(uint64_t id) {
  const auto place = hands_.find(id);
  if (place == hands_.end()) return;
  Hand& hand = *place->second;
  if (hand.crew.frozen) return hand.crew.missed.push_back([this, id] { resume(id); });
  if (hand.crew.hurried) return;
  run_hand(hand);
  if (!hand.at_work && hand.woken) call(id);
  hand.crew.worked();
}

void Stage::run_hand(Hand& hand) {
  acting_ = &hand;
  hand.go_on();
  acting_ = nullptr;
}

void Stage::hurry(Crew& crew) {
  crew.hurried = true;
  for (const auto& [id, hand] : hands_)
    if (&hand->crew == &crew && hand->at_work) run_hand(*hand);
}

void Stage::thaw(Crew& crew) {
  crew.frozen = false;
  for (std::function<void()>& missed : std::exchange(crew.missed, {})) in({}, std::move(missed));
}

bool Stage::pause(Duration length) {
  Hand* const hand = acting_;
  if (hand == nullptr || hand->crew.hurried) return false;
  in(length, [this, id = hand->id] { resume(id); });
  hand->go_back();
  return !hand->crew.hurried;
}

}  // namespace shingle::swarm
