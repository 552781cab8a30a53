#include "apps/members/announcement.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/members/own_addresses.hpp"
#include "apps/system/plain_text.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr size_t max_line = 256, max_device = 16 << 10;
constexpr double most_gflops = 1e6, most_mbps = 1e6;

// Reads the fields of one JSON object; the first wrong field gives the error sentence.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  std::string line(const char* key, size_t most = max_line, bool many_lines = false) {
    const Json* value = find(key);
    if (value == nullptr) return "";
    if (!value->is_string()) return complain(key, "is not a text"), "";
    auto text = value->get<std::string>();
    if (text.size() > most) return complain(key, "is too long"), "";
    if (!many_lines && plain_text(text, max_line) != text)
      return complain(key, "has a control character"), "";
    return text;
  }
  double number(const char* key, double least, double most) {
    const Json* value = find(key);
    if (value == nullptr) return least;
    const double read = value->is_number() ? value->get<double>() : std::nan("");
    if (!(read >= least && read <= most))
      return complain(key, "is not a number in its range"), least;
    return read;
  }
  int64_t whole(const char* key, int64_t least, int64_t most) {
    const double read = number(key, static_cast<double>(least), static_cast<double>(most));
    if (read != std::floor(read)) return complain(key, "is not a whole number"), least;
    return static_cast<int64_t>(read);
  }
  bool flag(const char* key) {
    const Json* value = find(key);
    if (value != nullptr && !value->is_boolean()) complain(key, "is neither true nor false");
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }
  const Json& list(const char* key, size_t most) {
    static const auto& none = *new Json(Json::array());
    const Json* value = find(key);
    if (value == nullptr) return none;
    if (value->is_array() && value->size() <= most) return *value;
    complain(key, "is not a list of at most " + std::to_string(most));
    return none;
  }
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  void complain(const std::string& key, const std::string& what) {
    if (wrong_.empty()) wrong_ = "its '" + key + "' " + what;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const Json* find(const char* key) {
    if (has(key)) return &json_[key];
    complain(key, "is missing");
    return nullptr;
  }
  const Json& json_;
  std::string wrong_;
};

// Checks the length first, so that nothing is allocated for a text that is too long.
Result<Json> parsed(std::string_view text) {
  if (text.size() > Announcement::max_text) return Error{"it is longer than 64 KiB"};
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{"it is not a JSON object"};
  Fields fields(json);
  const int64_t spoken = fields.whole("version", 1, 1'000'000);
  if (!fields.wrong().empty()) return Error{fields.wrong()};
  if (spoken != version)
    return Error{"it has version " + std::to_string(spoken) + ", but this program reads version " +
                 std::to_string(version) + ": install the same shingle on both"};
  return json;
}

// Skips hosts that are names and no numeric addresses.
std::vector<Address> addresses_of(Fields& fields) {
  std::vector<Address> addresses;
  for (const Json& each : fields.list("addresses", Announcement::max_addresses)) {
    Fields address(each);
    Address read{address.line("host"), static_cast<uint16_t>(address.whole("port", 1, 65'535))};
    if (is_numeric(read.host)) addresses.push_back(std::move(read));
    if (!address.wrong().empty())
      fields.complain("addresses", "hold one of which " + address.wrong());
  }
  return addresses;
}

void read_models(Fields& fields, Announcement& announcement) {
  for (const Json& each : fields.list("models", Announcement::max_models)) {
    const auto* name = each.get_ptr<const std::string*>();
    if (name == nullptr || name->size() > max_line || plain_text(*name, max_line) != *name)
      return fields.complain("models", "contain one that is not a name");
    announcement.models.push_back(*name);
  }
}

void read_device(Fields& fields, ClusterFileNode& node) {
  if (!fields.has("device")) return;
  auto device = parse_profile(fields.line("device", max_device, true), "the announced device");
  if (!device) return fields.complain("device", "is not a profile: " + device.error());
  node.device = std::move(*device);
  node.profile = node.device->name;
}

}  // namespace

std::string print(const Announcement& announcement) {
  const ClusterFileNode& node = announcement.node;
  Json json{{"version", version},
            {"node", node.id.value},
            {"name", node.name},
            {"session", announcement.session}};
  json["addresses"] = Json::array();
  for (const Address& address : announcement.addresses)
    json["addresses"].push_back(Json{{"host", address.host}, {"port", address.port}});
  json["computes"] = announcement.computes;
  json["gflops"] = node.gflops;
  json["cores"] = node.cores;
  json["link_mbps"] = node.link_mbps;
  json["memory_bytes"] = node.memory_bytes;
  json["pace"] = node.pace;
  if (node.device) json["device"] = print(*node.device);
  json["models"] = announcement.models;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Announcement> parse_announcement(std::string_view text) {
  const auto json = parsed(text);
  if (!json) return Error{json.error()};
  Fields fields(*json);
  Announcement announcement;
  ClusterFileNode& node = announcement.node;
  node.id = {static_cast<uint32_t>(fields.whole("node", 0, 65'535))};
  node.name = fields.line("name");
  announcement.session = fields.line("session");
  announcement.addresses = addresses_of(fields);
  announcement.computes = fields.flag("computes");
  node.gflops = fields.number("gflops", 1e-3, most_gflops);
  node.cores = static_cast<int32_t>(fields.whole("cores", 1, 1024));
  node.link_mbps = fields.number("link_mbps", 1e-3, most_mbps);
  node.memory_bytes = fields.whole("memory_bytes", 0, int64_t{1} << 50);
  node.pace = fields.flag("pace");
  read_device(fields, node);
  read_models(fields, announcement);
  if (!fields.wrong().empty()) return Error{fields.wrong()};
  return announcement;
}

std::string print(const Sign& sign) {
  return Json{{"version", version},
              {"state", sign.online ? "online" : "offline"},
              {"session", sign.session}}
      .dump();
}

Result<Sign> parse_sign(std::string_view text) {
  const auto json = parsed(text);
  if (!json) return Error{json.error()};
  Fields fields(*json);
  const std::string state = fields.line("state");
  const Sign sign{.online = state == "online", .session = fields.line("session")};
  if (!sign.online && state != "offline") fields.complain("state", "is neither online nor offline");
  if (!fields.wrong().empty()) return Error{fields.wrong()};
  return sign;
}

}  // namespace shingle
