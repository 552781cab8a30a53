#include "apps/library/session_settings.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <variant>

#include "apps/client/audit_share.hpp"
#include "apps/system/plain_text.hpp"
#include "apps/system/suggest.hpp"
#include "devices/files/toml_text.hpp"

namespace shingle {
namespace {

using Setter = Status (*)(SessionSettings&, const std::string& value);

struct Option {
  const char* name;
  Setter set;
};

Error refused(const std::string& value, const std::string& wanted) {
  return usage_error(std::string("'").append(plain_text(value, 80)).append("' is not ") + wanted);
}

template <class T>
struct Range {
  T low, high;
};

template <class T>
Result<T> number(const std::string& value, Range<T> range) {
  T read{};
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, read);
  const bool fits = parsed.ec == std::errc() && parsed.ptr == end && read >= range.low &&
                    read <= range.high;  // not a number: false
  if (fits) return read;
  const auto text = [](T bound) {
    char digits[32];
    return std::string(digits, std::to_chars(digits, digits + sizeof digits, bound).ptr);
  };
  return refused(value, "a number from " + text(range.low) + " to " + text(range.high));
}

template <class T, class Target>
Status set_number(Target& target, const std::string& value, Range<T> range) {
  const auto read = number(value, range);
  if (!read) return read.failure();
  target = *read;
  return success();
}

Status set_flag(bool& flag, const std::string& value) {
  if (value != "yes" && value != "no") return refused(value, "'yes' or 'no'");
  flag = value == "yes";
  return success();
}

template <std::string PlaceSettings::*member>
Status set_place(SessionSettings& settings, const std::string& value) {
  settings.place.*member = value;
  return success();
}

std::chrono::nanoseconds in_time(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

Status set_model(SessionSettings& settings, const std::string& value) {
  settings.model.path = value;
  settings.model.bytes = nullptr;
  return success();
}

Status set_shape(SessionSettings& settings, const std::string& value) {
  auto shapes = read_input_shapes(value);
  if (!shapes) return refused(value, "a shape; write one as 1x3x480x640");
  settings.model.shapes = std::move(*shapes);
  return success();
}

Status set_memory(SessionSettings& settings, const std::string& value) {
  const auto bytes = memory_with_unit(value);
  if (!bytes || *bytes <= 0)
    return refused(value,
                   "an amount of memory; write a number with KiB, MiB or GiB, such as 48MiB");
  settings.place.memory = value;
  settings.place.memory_bytes = *bytes;
  return success();
}

Status set_numbers(std::vector<float>& target, const std::string& value) {
  std::vector<float> numbers;
  std::string_view rest = value;
  while (true) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto read = number<float>(std::string(word), {-1e6F, 1e6F});
    if (!read) return read.failure();
    numbers.push_back(*read);
    if (word.size() == rest.size()) break;
    rest.remove_prefix(word.size() + 1);
  }
  target = std::move(numbers);
  return success();
}

Status set_fit(SessionSettings& settings, const std::string& value) {
  constexpr std::pair<const char*, Fit> fits[] = {{"letterbox", Fit::letterbox},
                                                  {"centred", Fit::centred},
                                                  {"stretch", Fit::stretch},
                                                  {"crop", Fit::crop}};
  const auto* fit =
      std::ranges::find_if(fits, [&](const auto& each) { return value == each.first; });
  if (fit == std::end(fits)) return refused(value, "letterbox, centred, stretch or crop");
  settings.pictures.reading.fit = fit->second;
  return success();
}

Status set_colour(SessionSettings& settings, const std::string& value) {
  if (value != "rgb" && value != "bgr") return refused(value, "rgb or bgr");
  settings.pictures.reading.colour = value == "rgb" ? ColourOrder::rgb : ColourOrder::bgr;
  return success();
}

template <std::string ReadingOptions::*member>
Status set_reading(SessionSettings& settings, const std::string& value) {
  settings.pictures.reading.*member = value;
  return success();
}

Status set_goal(SessionSettings& settings, const std::string& value) {
  const auto goal = goal_named(value);
  if (!goal) return refused(value, "latency, throughput, energy or memory");
  settings.stream.goal = *goal;
  return success();
}

Status set_deadline(SessionSettings& settings, const std::string& value) {
  const auto seconds = number<double>(value, {1e-6, 1200.0});
  if (!seconds) return seconds.failure();
  settings.stream.deadline = in_time(*seconds);
  return success();
}

Status set_start_patience(SessionSettings& settings, const std::string& value) {
  const auto seconds = number<double>(value, {0.1, 3600.0});
  if (!seconds) return seconds.failure();
  settings.stream.start_patience =
      std::chrono::duration_cast<std::chrono::milliseconds>(in_time(*seconds));
  return success();
}

Status set_audit(SessionSettings& settings, const std::string& value) {
  const auto share = audit_share(value);
  if (!share) return refused(value, "a share; write 2% or 0.02");
  settings.stream.audit_share = *share;
  return success();
}

const Option options[] = {
    {"model", set_model},
    {"weights",
     [](auto& settings, auto& value) {
       settings.model.weights = value;
       return success();
     }},
    {"shape", set_shape},
    {"opset",
     [](auto& settings, auto& value) {
       return set_number<int64_t>(settings.model.opset, value, {1, 1000});
     }},
    {"cluster", set_place<&PlaceSettings::cluster>},
    {"id",
     [](auto& settings, auto& value) {
       return set_number<uint32_t>(settings.place.id, value, {0, 65'535});
     }},
    {"broker",
     [](auto& settings, auto& value) {
       settings.place.broker.uri = value;
       return success();
     }},
    {"broker-user",
     [](auto& settings, auto& value) {
       settings.place.broker.login.user = value;
       return success();
     }},
    {"broker-password",
     [](auto& settings, auto& value) {
       settings.place.broker.login.password_file = value;
       return success();
     }},
    {"broker-ca",
     [](auto& settings, auto& value) {
       settings.place.broker.login.authorities = value;
       return success();
     }},
    {"cluster-name",
     [](auto& settings, auto& value) {
       settings.place.broker.cluster_name = value;
       return success();
     }},
    {"listen",
     [](auto& settings, auto& value) {
       settings.place.broker.listen = value;
       return success();
     }},
    {"keys",
     [](auto& settings, auto& value) {
       settings.place.admission.keys = value;
       return success();
     }},
    {"insecure", [](auto& settings,
                    auto& value) { return set_flag(settings.place.admission.insecure, value); }},
    {"workers",
     [](auto& settings, auto& value) {
       return set_number<uint32_t>(settings.place.workers, value, {1, 64});
     }},
    {"threads",
     [](auto& settings, auto& value) {
       return set_number<uint32_t>(settings.place.threads, value, {1, 256});
     }},
    {"node-program", set_place<&PlaceSettings::node_program>},
    {"packed", set_place<&PlaceSettings::packed>},
    {"memory", set_memory},
    {"patience",
     [](auto& settings, auto& value) {
       return set_number<double>(settings.place.patience_seconds, value, {0.2, 3600.0});
     }},
    {"start-patience", set_start_patience},
    {"plan",
     [](auto& settings, auto& value) {
       settings.stream.plan = value;
       return success();
     }},
    {"keep-plan",
     [](auto& settings, auto& value) { return set_flag(settings.stream.keep_plan, value); }},
    {"goal", set_goal},
    {"open",
     [](auto& settings, auto& value) {
       return set_number<uint32_t>(settings.stream.open_frames, value, {1, 16});
     }},
    {"queue",
     [](auto& settings, auto& value) {
       return set_number<uint32_t>(settings.stream.queue, value, {1, 100'000});
     }},
    {"deadline", set_deadline},
    {"audit", set_audit},
    {"pictures",
     [](auto& settings, auto& value) { return set_flag(settings.pictures.taken, value); }},
    {"head", set_reading<&ReadingOptions::head>},
    {"names", set_reading<&ReadingOptions::names>},
    {"anchors", set_reading<&ReadingOptions::anchors>},
    {"dictionary", set_reading<&ReadingOptions::dictionary>},
    {"fit", set_fit},
    {"colour", set_colour},
    {"mean", [](auto& settings,
                auto& value) { return set_numbers(settings.pictures.reading.mean, value); }},
    {"std", [](auto& settings,
               auto& value) { return set_numbers(settings.pictures.reading.deviation, value); }},
    {"score",
     [](auto& settings, auto& value) {
       return set_number<float>(settings.pictures.min_score, value, {0.0F, 1.0F});
     }},
    {"nms",
     [](auto& settings, auto& value) {
       return set_number<float>(settings.pictures.max_overlap, value, {0.0F, 1.0F});
     }},
};

Error unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const Option& option : options) names.emplace_back(option.name);
  const auto near = nearest(name, names);
  return usage_error("there is no option '" + plain_text(name, 60) + "'" +
                     (near ? "; did you mean '" + *near + "'?" : "; shingle.h lists them"));
}

}  // namespace

Status set(SessionSettings& settings, const std::string& name, const std::string& value) {
  const auto* option =
      std::ranges::find_if(options, [&](const Option& each) { return name == each.name; });
  if (option == std::end(options)) return unknown(name);
  const Status taken = option->set(settings, value);
  if (!taken) return usage_error("option '" + name + "': " + taken.error());
  return success();
}

}  // namespace shingle
