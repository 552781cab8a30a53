#include <algorithm>

#include "bench/ftp/program.hpp"

namespace shingle::ftp {

Source::Source(const Setup& setup)
    : setup_(setup),
      worker_(setup),
      kept_(setup.block.tiles.size()),
      service_(
          setup.places.source, setup.traffic,
          [this](const Message& message, Connection& connection) { serve(message, connection); }) {}

void Source::wait_for_all() {
  while (ask(setup_.places.registry, {.kind = Kind::barrier}, setup_.traffic).flag == 0)
    std::this_thread::sleep_for(setup_.poll);
}

FrameTime Source::run(uint32_t frame, Floats input) {
  const auto begin = std::chrono::steady_clock::now();
  open(frame, std::move(input));
  tell(setup_.places.registry, {.kind = Kind::register_frame, .frame = frame}, setup_.traffic);
  while (const std::optional<Taken> taken = take()) work(frame, *taken);
  tell(setup_.places.registry, {.kind = Kind::cancel_frame, .frame = frame}, setup_.traffic);
  ask(setup_.places.waiting, {.kind = Kind::wait, .frame = frame}, setup_.traffic);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::lock_guard lock(mutex_);
  return {.seconds = took.count(), .rolled_back = rolled_back_};
}

void Source::end() { tell(setup_.places.registry, {.kind = Kind::over}, setup_.traffic); }

void Source::open(uint32_t frame, Floats input) {
  const std::lock_guard lock(mutex_);
  frame_ = frame;
  input_ = std::move(input);
  covered_.assign(setup_.block.tiles.size(), false);
  made_elsewhere_ = covered_;
  rolled_back_ = 0;
  for (uint32_t tile : ftp_order(setup_.block.tiles)) queue_.push_back(tile);
}

// An odd tile whose neighbours' strips are not all there is rolled back: computed alone.
std::optional<Source::Taken> Source::take() {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  Taken taken{.tile = queue_.front()};
  queue_.pop_front();
  const FtpTile& tile = setup_.block.tiles[taken.tile];
  if (!setup_.block.scheme.reuse || tile.is_even()) return taken;
  taken.reuses = std::all_of(tile.strips.begin(), tile.strips.end(),
                             [this](const FtpStrip& strip) { return covered_[strip.even]; });
  if (!taken.reuses) ++rolled_back_;
  return taken;
}

Floats Source::input_of(const Taken& taken) const {
  const FtpTile& tile = setup_.block.tiles[taken.tile];
  const Model& model = *setup_.block.model;
  return cut(input_, whole(model.at(model.inputs[0]).shape),
             (taken.reuses ? tile.reusing : tile.alone).input);
}

void Source::work(uint32_t frame, const Taken& taken) {
  const std::vector<FtpStrip>& wanted = setup_.block.tiles[taken.tile].strips;
  std::vector<Floats> strips;
  if (taken.reuses) {
    uint32_t sides = 0;
    {
      const std::lock_guard lock(mutex_);
      for (const FtpStrip& strip : wanted)
        if (made_elsewhere_[strip.even]) sides |= side_of(strip, setup_.block.scheme.columns);
    }
    strips = worker_.fetch(frame, taken.tile, sides);
    for (size_t i = 0; i < wanted.size(); ++i)
      if (strips[i].empty()) strips[i] = kept_of(wanted[i]);
  }
  kept_[taken.tile] = worker_.compute(frame, taken.tile, taken.reuses, input_of(taken), strips);
  const std::lock_guard lock(mutex_);
  covered_[taken.tile] = true;
}

const Floats& Source::kept_of(const FtpStrip& strip) const {
  const std::vector<FtpStrip>& made = setup_.block.tiles[strip.even].strips;
  const auto index = std::find(made.begin(), made.end(), strip) - made.begin();
  return kept_[strip.even][static_cast<size_t>(index)];
}

void Source::serve(const Message& message, Connection& connection) {
  if (message.kind == Kind::covered) {
    const std::lock_guard lock(mutex_);
    if (message.tile >= covered_.size()) throw WireError("the gateway covers an unknown tile");
    if (message.frame != frame_) return;  // late: that frame is done without it
    covered_[message.tile] = made_elsewhere_[message.tile] = true;
    return;
  }
  const std::optional<Taken> taken = take();
  if (!taken) return connection.send({.kind = Kind::none});
  connection.send({.kind = Kind::steal,
                   .frame = frame_,
                   .tile = taken->tile,
                   .flag = taken->reuses ? 1U : 0U,
                   .data = input_of(*taken)});
}

}  // namespace shingle::ftp
