#include <algorithm>
#include <utility>

#include "bench/ftp/program.hpp"

namespace shingle::ftp {

Gateway::Gateway(const Setup& setup, std::function<void(const Merged&)> on_merged)
    : setup_(setup),
      on_merged_(std::move(on_merged)),
      pool_(setup.block.tiles.size()),
      asked_(setup.devices, false),
      parts_(setup.block.tiles.size()),
      registry_(setup.places.registry, setup.traffic,
                [this](const Message& message, Connection& connection) {
                  serve_registry(message, connection);
                }),
      results_(setup.places.results, setup.traffic,
               [this](const Message& message, Connection&) { store_result(message); }),
      waiting_(setup.places.waiting, setup.traffic,
               [this](const Message& message, Connection& connection) {
                 wait_for(message, connection);
               }) {}

void Gateway::prepare() {
  if (setup_.block.rest.steps.empty()) return;
  const Status status = setup_.executor.prepare(*setup_.block.model, {&setup_.block.rest, 1});
  if (!status) throw WireError(status.error());
}

void Gateway::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return complete_ || all_know(); });
    if (!complete_) return;
    const uint32_t frame = *std::exchange(complete_, std::nullopt);
    const std::vector<Floats> parts = std::exchange(parts_, std::vector<Floats>(parts_.size()));
    lock.unlock();
    const Merged merged = merge(frame, parts);
    lock.lock();
    done_ = frame;
    changed_.notify_all();
    lock.unlock();
    on_merged_(merged);
    lock.lock();
  }
}

void Gateway::serve_registry(const Message& message, Connection& connection) {
  switch (message.kind) {
    case Kind::barrier: {
      const auto seen = static_cast<uint32_t>(std::count(asked_.begin(), asked_.end(), true));
      connection.send({.flag = seen + 1 >= setup_.devices ? 1U : 0U});
      return;
    }
    case Kind::register_frame:
      registered_ = true;
      return;
    case Kind::cancel_frame:
      registered_ = false;
      return;
    case Kind::over: {
      const std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_all();
      return;
    }
    case Kind::registry:
      connection.send(answer(message));
      return;
    case Kind::share:
      store_strips(message);
      return;
    case Kind::fetch:
      connection.send(strips_of(message.tile, message.flag));
      return;
    case Kind::none:
    case Kind::steal:
    case Kind::covered:
    case Kind::result:
    case Kind::wait:
      throw WireError("the registry is asked for what it has not");
  }
}

Message Gateway::answer(const Message& thief) {
  if (thief.device >= asked_.size()) throw WireError("an unknown device asks for work");
  asked_[thief.device] = true;
  const std::lock_guard lock(mutex_);
  if (!over_) return {.kind = Kind::registry, .flag = registered_ ? 1U : 0U};
  ++told_over_;
  changed_.notify_all();
  return {.kind = Kind::over};
}

void Gateway::store_strips(const Message& message) {
  if (message.tile >= pool_.size()) throw WireError("strips come of an unknown tile");
  std::vector<Floats> strips;
  size_t at = 0;
  for (const FtpStrip& strip : setup_.block.tiles[message.tile].strips) {
    const auto count = static_cast<size_t>(strip.region.elements());
    if (at + count > message.data.size()) throw WireError("too few strips come of a tile");
    const auto begin = message.data.begin() + static_cast<std::ptrdiff_t>(at);
    strips.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
    at += count;
  }
  pool_[message.tile] = std::move(strips);
  if (message.device != 0)
    tell(setup_.places.source,
         {.kind = Kind::covered, .frame = message.frame, .tile = message.tile}, setup_.traffic);
}

Message Gateway::strips_of(uint32_t tile, uint32_t sides) const {
  if (tile >= pool_.size()) throw WireError("strips are wanted for an unknown tile");
  Message reply{.kind = Kind::fetch, .tile = tile};
  for (const FtpStrip& strip : setup_.block.tiles[tile].strips) {
    if ((side_of(strip, setup_.block.scheme.columns) & sides) == 0) continue;
    const std::vector<FtpStrip>& made = setup_.block.tiles[strip.even].strips;
    const auto index =
        static_cast<size_t>(std::find(made.begin(), made.end(), strip) - made.begin());
    if (index >= pool_[strip.even].size()) throw WireError("strips are wanted that nobody made");
    const Floats& found = pool_[strip.even][index];
    reply.data.insert(reply.data.end(), found.begin(), found.end());
  }
  return reply;
}

void Gateway::store_result(const Message& message) {
  const std::lock_guard lock(mutex_);
  if (message.tile >= parts_.size() || !parts_[message.tile].empty())
    throw WireError("a result comes that nobody waits for");
  parts_[message.tile] = message.data;
  if (++arrived_ < parts_.size()) return;
  arrived_ = 0;
  complete_ = message.frame;
  changed_.notify_all();
}

void Gateway::wait_for(const Message& message, Connection& connection) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ == message.frame; });
  lock.unlock();
  connection.send({.frame = message.frame});
}

Merged Gateway::merge(uint32_t frame, const std::vector<Floats>& parts) {
  const Block& block = setup_.block;
  const auto begin = setup_.pacer.now();
  const Region region = whole(block.model->at(block.model->at(block.layers.back()).output).shape);
  Floats map(static_cast<size_t>(region.elements()));
  for (size_t i = 0; i < parts.size(); ++i)
    paste(parts[i], block.tiles[i].alone.computed.back(), map, region);
  Merged merged{.frame = frame, .outputs = {}};
  if (block.rest.steps.empty()) {
    merged.outputs.push_back(std::move(map));
    return merged;
  }
  auto run = run_program(setup_.executor, block.rest, {&map, 1});
  if (!run) throw WireError(run.error());
  merged.outputs = std::move(*run);
  setup_.pacer.finish(begin, computed_macs(setup_.executor, *block.model, block.rest));
  merged.rest_seconds = std::chrono::duration<double>(setup_.pacer.now() - begin).count();
  return merged;
}

}  // namespace shingle::ftp
