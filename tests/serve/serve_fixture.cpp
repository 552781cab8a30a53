#include "tests/serve/serve_fixture.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "tests/networks/networks.hpp"
#include "tests/places.hpp"
#include "tests/serve/http_client.hpp"

namespace shingle::testing {

std::string tiny_network(const ScratchFolder& folder, uint64_t seed) {
  const Model model = networks::make("tiny", 32, seed).value();
  return folder.with_text("tiny" + std::to_string(seed) + ".onnx", networks::to_onnx(model));
}

std::vector<float> tiny_values(uint64_t seed) {
  return networks::random_input({.h = 32, .w = 32, .c = 3}, seed);
}

std::string vehicles_model() { return source_folder() + "/models/vehicles.onnx"; }

serve::OptionTexts session_texts() {
  const auto folder = std::filesystem::path(shingle_program()).parent_path();
  return {{"node-program", (folder / "shingle-node").string()}, {"workers", "1"}};
}

std::vector<pid_t> worker_processes() {
  std::vector<pid_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::istringstream children(contents(task.path() / "children"));
    found.insert(found.end(), std::istream_iterator<pid_t>(children),
                 std::istream_iterator<pid_t>());
  }
  return found;
}

Log ServerNotes::log() {
  return [this](LogLevel, const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    sentences_.push_back(sentence);
  };
}

size_t ServerNotes::count(const std::string& part) const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::ranges::count_if(sentences_, [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  }));
}

bool ServerNotes::contain(const std::string& part) const { return count(part) > 0; }

ServePlan TestServer::usual_plan() {
  ServePlan plan;
  plan.http = serve::HttpOptions{.port = 0};
  plan.session = session_texts();
  return plan;
}

void TestServer::start(const ServePlan& plan) {
  auto started = serve::Server::start(plan, notes.log());
  REQUIRE_MESSAGE(started.ok(), (started ? "" : started.error()));
  server = std::move(*started);
}

void TestServer::wait_until_ready() const {
  REQUIRE(becomes_true([&] { return get(port(), "/v2/health/ready").status == 200; }));
}

std::vector<float> by_the_library(const std::string& model, const std::vector<float>& values) {
  auto opened = serve::Session::open(session_texts(), {.path = model}, serve::Use::tensors, Log{});
  REQUIRE_MESSAGE(opened.end.ok(), opened.end.sentence);
  const serve::Session& session = *opened.session;
  const auto bytes = std::as_bytes(std::span(values));
  serve::TensorValue input{session.inputs().front(), {bytes.begin(), bytes.end()}};
  auto submitted = session.submit({input}, std::chrono::seconds(10));
  REQUIRE_MESSAGE(submitted.end.ok(), submitted.end.sentence);
  const serve::Request& request = *submitted.request;
  REQUIRE(request.wait(std::chrono::minutes(1)).ok());
  const serve::Request::Outputs outputs = request.outputs(1);
  REQUIRE_MESSAGE(outputs.end.ok(), outputs.end.sentence);
  return {outputs.views[0].values.begin(), outputs.views[0].values.end()};
}

}  // namespace shingle::testing
