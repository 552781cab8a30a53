#include "sim/pipe/piped_network.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "partition/base/text.hpp"

namespace shingle::sim {
namespace {

constexpr int64_t largest_message = int64_t{1} << 30;
constexpr size_t most_digits = 18;
constexpr size_t longest_name = 64;
// A simulator may answer before the horizon, to show that it lives. Then it must have moved on, and
// may not do so without end.
constexpr int most_answers = 100'000;

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (size_t begin = 0;;) {
    const size_t end = line.find(' ', begin);
    words.push_back(line.substr(begin, end - begin));
    if (end == std::string::npos) return words;
    begin = end + 1;
  }
}

std::optional<int64_t> number(const std::string& word) {
  if (word.empty() || word.size() > most_digits) return std::nullopt;
  int64_t value = 0;
  for (const char each : word) {
    if (each < '0' || each > '9') return std::nullopt;
    value = value * 10 + (each - '0');
  }
  return value;
}

bool is_printable(const std::string& line) {
  return std::all_of(line.begin(), line.end(),
                     [](char each) { return each >= ' ' && each <= '~'; });
}

int64_t nanoseconds(Time time) { return time.time_since_epoch().count(); }

}  // namespace

Result<PipedNetwork> PipedNetwork::open(Exchange exchange, const PipedTopology& topology) {
  PipedNetwork network(std::move(exchange));
  network.links_ = topology.links;
  network.steps_.assign(topology.steps.begin(), topology.steps.end());
  if (Status greeted = network.greet(); !greeted) return greeted.failure();
  for (const std::string& request : requests_for(topology))
    if (Status answered = network.expect_ok(request); !answered) return answered.failure();
  for (const PipedConnection& pair : topology.connections) {
    network.ways_[{pair.from, pair.to}];
    network.ways_[{pair.to, pair.from}];
  }
  return network;
}

Status PipedNetwork::greet() {
  const Result<std::string> answer = ask("hello shingle-network 1");
  if (!answer) return answer.failure();
  const std::vector<std::string> words = words_of(*answer);
  if (words.size() != 4 || words[0] != "hello" || words[1] != "1" || words[2].empty() ||
      words[3].empty() || std::max(words[2].size(), words[3].size()) > longest_name)
    return distrust("does not speak 'shingle-network 1': it answered " + in_quotes(*answer));
  simulator_ = words[2] + " " + words[3];
  return success();
}

Error PipedNetwork::distrust(const std::string& what) const { return {simulator_ + " " + what}; }

// The answer, unless it is an error. A failure is for good.
Result<std::string> PipedNetwork::ask(const std::string& request) {
  Result<std::string> answer = exchange_(request);
  if (!answer) return Error{simulator_ + ": " + answer.error()};
  if (answer->size() >= longest_line || !is_printable(*answer))
    return distrust("answered with a line that is too long or not printable ASCII");
  if (answer->starts_with("error "))
    return distrust("refused '" + request + "': " + readable(answer->substr(6)));
  return answer;
}

Status PipedNetwork::expect_ok(const std::string& request) {
  const Result<std::string> answer = ask(request);
  if (!answer) return answer.failure();
  if (*answer != "ok")
    return distrust("answered '" + request + "' with " + in_quotes(*answer) + " instead of 'ok'");
  return success();
}

void PipedNetwork::send(uint32_t from, uint32_t to, int64_t bytes, uint64_t cargo, Time now) {
  assert(ways_.contains({from, to}) && bytes > 0 && bytes <= largest_message);
  catch_up(now);
  if (!status_) return;
  const uint64_t id = next_id_++;
  status_ = expect_ok("send " + std::to_string(id) + " " + std::to_string(from) + " " +
                      std::to_string(to) + " " + std::to_string(bytes));
  if (!status_) return;
  in_flight_[id] = {from, to, bytes, cargo};
  ways_[{from, to}].push_back(id);
  totals_.sent += bytes;
  totals_.under_way += bytes;
}

Status PipedNetwork::take_step() {
  const PipedRateStep step = steps_.front();
  steps_.pop_front();
  PipedLink& link = links_[step.link];
  (step.forward ? link.forward_bits_per_second : link.back_bits_per_second) = step.bits_per_second;
  return expect_ok("rates " + std::to_string(link.from) + " " + std::to_string(link.to) + " " +
                   std::to_string(link.forward_bits_per_second) + " " +
                   std::to_string(link.back_bits_per_second));
}

// While nothing is under way the simulator stands still.
void PipedNetwork::catch_up(Time now) {
  if (!status_ || clock_ >= now) return;
  assert(in_flight_.empty());
  status_ = run_until(now);
}

Time PipedNetwork::next_change(Time horizon) {
  const Time end = std::min(horizon, latest_time);
  if (status_ && arrived_.empty() && !in_flight_.empty() && clock_ < end) status_ = run_until(end);
  return !status_ || arrived_.empty() ? Time::max() : arrived_.front().at;
}

void PipedNetwork::advance(Time now, std::vector<NetworkArrival>& arrivals) {
  if (!status_) return;
  for (; !arrived_.empty() && arrived_.front().at <= now; arrived_.pop_front())
    arrivals.push_back(arrived_.front());
}

// Up to the first arrival, or to `end`.
Status PipedNetwork::run_until(Time end) {
  while (!steps_.empty() && steps_.front().at <= end) {
    if (Status ran = run_to_arrival(steps_.front().at); !ran) return ran;
    if (!arrived_.empty()) return success();
    if (Status taken = take_step(); !taken) return taken;
  }
  return run_to_arrival(end);
}

Status PipedNetwork::run_to_arrival(Time end) {
  if (clock_ >= end) return success();
  for (int i = 0; i < most_answers; ++i) {
    if (const Status ran = run_once(end); !ran) return ran;
    if (!arrived_.empty() || clock_ == end) return success();
  }
  return distrust("needs more than " + std::to_string(most_answers) + " answers to advance to " +
                  std::to_string(nanoseconds(end)) + " ns");
}

Status PipedNetwork::run_once(Time end) {
  const Result<std::string> answer = ask("advance " + std::to_string(nanoseconds(end)));
  return answer ? take(*answer, end) : answer.failure();
}

Status PipedNetwork::take(const std::string& answer, Time end) {
  const std::vector<std::string> words = words_of(answer);
  const std::optional<int64_t> at = words.size() < 2 ? std::nullopt : number(words[1]);
  if (words[0] != "delivered" || !at)
    return distrust("answered 'advance' with " + in_quotes(answer) + " instead of 'delivered'");
  const Time now{Duration(*at)};
  if (now < clock_)
    return distrust("went back in time, from " + std::to_string(nanoseconds(clock_)) + " to " +
                    words[1] + " ns");
  if (now > end)
    return distrust("ran to " + words[1] + " ns, beyond the " + std::to_string(nanoseconds(end)) +
                    " ns that it was asked for");
  if (now == clock_ && now != end && words.size() == 2)
    return distrust("makes no progress at " + words[1] + " ns");
  clock_ = now;
  for (size_t i = 2; i < words.size(); ++i)
    if (Status taken = take_message(words[i]); !taken) return taken;
  return success();
}

Status PipedNetwork::take_message(const std::string& word) {
  const std::optional<int64_t> id = number(word);
  if (!id) return distrust("delivered a message of no number: " + in_quotes(word));
  const auto found = in_flight_.find(static_cast<uint64_t>(*id));
  if (found == in_flight_.end())
    return distrust(
        "delivered message " + word +
        (static_cast<uint64_t>(*id) < next_id_ ? " twice" : ", which was not sent yet"));
  const Message message = found->second;
  std::deque<uint64_t>& way = ways_[{message.from, message.to}];
  if (way.front() != found->first)
    return distrust("delivered message " + word + " before message " + std::to_string(way.front()) +
                    ", which was sent earlier on the same connection");
  way.pop_front();
  in_flight_.erase(found);
  if (message.lost) return success();
  totals_.under_way -= message.bytes;
  totals_.arrived += message.bytes;
  arrived_.push_back({clock_, message.from, message.to, message.cargo});
  return success();
}

std::vector<uint64_t> PipedNetwork::break_connection(uint32_t from, uint32_t to, Time) {
  std::vector<uint64_t> lost;
  for (const uint64_t id : ways_[{from, to}]) {
    Message& message = in_flight_.at(id);
    if (message.lost) continue;
    message.lost = true;
    totals_.under_way -= message.bytes;
    totals_.lost += message.bytes;
    lost.push_back(message.cargo);
  }
  return lost;
}

}  // namespace shingle::sim
