#include "bench/ftp/program.hpp"

namespace shingle::ftp {

uint32_t side_of(const FtpStrip& strip, int32_t columns) {
  if (strip.even + static_cast<uint32_t>(columns) == strip.odd) return 1U << 0;
  if (strip.even == strip.odd + static_cast<uint32_t>(columns)) return 1U << 1;
  return strip.even < strip.odd ? 1U << 2 : 1U << 3;
}

Worker::Worker(const Setup& setup)
    : setup_(setup), pass_(setup.block, setup.executor), sender_([this] {
        try {
          send_results();
        } catch (const std::exception& error) {
          give_up(error);
        }
      }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  sender_.join();
}

void Worker::prepare() {
  if (const Status status = pass_.prepare(); !status) throw WireError(status.error());
}

std::vector<Floats> Worker::fetch(uint32_t frame, uint32_t tile, uint32_t sides) {
  const std::vector<FtpStrip>& wanted = setup_.block.tiles[tile].strips;
  std::vector<Floats> strips(wanted.size());
  if (sides == 0) return strips;
  const Message reply = ask(
      setup_.places.registry,
      {.kind = Kind::fetch, .device = setup_.device, .frame = frame, .tile = tile, .flag = sides},
      setup_.traffic);
  size_t at = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if ((side_of(wanted[i], setup_.block.scheme.columns) & sides) == 0) continue;
    const auto count = static_cast<size_t>(wanted[i].region.elements());
    if (at + count > reply.data.size()) throw WireError("the gateway sent too few strips");
    const auto begin = reply.data.begin() + static_cast<std::ptrdiff_t>(at);
    strips[i].assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    at += count;
  }
  return strips;
}

std::vector<Floats> Worker::compute(uint32_t frame, uint32_t tile, bool reuses, const Floats& input,
                                    const std::vector<Floats>& strips) {
  const auto begin = setup_.pacer.now();
  auto done = pass_.compute(tile, reuses, input, strips);
  if (!done) throw WireError(done.error());
  setup_.pacer.finish(begin, done->macs);
  Message message{.device = setup_.device, .frame = frame, .tile = tile};
  if (!done->strips.empty()) {
    message.kind = Kind::share;
    for (const Floats& strip : done->strips)
      message.data.insert(message.data.end(), strip.begin(), strip.end());
    tell(setup_.places.registry, message, setup_.traffic);
  }
  message.kind = Kind::result;
  message.data = std::move(done->output);
  {
    const std::lock_guard lock(mutex_);
    results_.push_back(std::move(message));
  }
  changed_.notify_all();
  return std::move(done->strips);
}

void Worker::send_results() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || !results_.empty(); });
    if (results_.empty()) return;
    const Message next = std::move(results_.front());
    results_.pop_front();
    lock.unlock();
    tell(setup_.places.results, next, setup_.traffic);
    lock.lock();
  }
}

}  // namespace shingle::ftp
