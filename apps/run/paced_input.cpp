#include "apps/run/paced_input.hpp"

#include <algorithm>
#include <cassert>
#include <thread>

namespace shingle {

void PacedInput::read_ahead() {
  if (!ahead_) ahead_ = input_.next();
}

// The end and errors are due at once.
PacedInput::Clock::time_point PacedInput::due() const {
  assert(ahead_);
  if (!began_ || !*ahead_ || !(*ahead_)->has_value()) return Clock::now();
  const double counted = options_.images_per_second > 0.0
                             ? static_cast<double>(given_) / options_.images_per_second
                             : 0.0;
  const double seconds = (**ahead_)->seconds.value_or(counted);
  return *began_ +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

bool PacedInput::ready(std::chrono::milliseconds longest) {
  if (!is_paced()) return input_.ready(longest);
  read_ahead();
  const Clock::time_point when = due();
  if (longest.count() > 0) std::this_thread::sleep_until(std::min(when, Clock::now() + longest));
  return when <= Clock::now();
}

Result<std::optional<PacedInput::Came>> PacedInput::next() {
  Clock::time_point since = Clock::now();
  if (is_paced()) {
    read_ahead();
    since = due();
    std::this_thread::sleep_until(since);
  }
  auto picture = ahead_ ? std::move(*ahead_) : input_.next();
  ahead_.reset();
  if (!picture) return picture.failure();
  if (!picture->has_value()) return std::optional<Came>();
  if (!began_) began_ = since;
  ++given_;
  if (!is_paced()) since = Clock::now();
  return std::optional(Came{std::move(**picture), since});
}

bool PacedInput::is_overtaken() {
  if (!is_live()) return false;
  if (!is_paced()) return input_.ready();
  read_ahead();
  const bool is_picture = *ahead_ && (*ahead_)->has_value();
  return is_picture && due() <= Clock::now();
}

}  // namespace shingle
