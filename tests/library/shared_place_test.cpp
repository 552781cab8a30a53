// Several sessions of one process on one node of a cluster.
#include <thread>

#include "tests/apps/program.hpp"
#include "tests/library/running_nodes.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// Another network with the tiny one's input.
std::string other_model(const ScratchFolder& folder) {
  const Model model = networks::make("tiny", 32, 2).value();
  return folder.with_text("other.onnx", networks::to_onnx(model));
}

struct TwoModels {
  ScratchFolder folder;
  std::string first = tiny_model(folder), second = other_model(folder);
  RunningNodes nodes{{first, second}};
};

}  // namespace

TEST_CASE("two models and twice the same one compute on one node of a cluster at once") {
  const TwoModels two;
  const TestSession first(two.nodes.options(two.first)), second(two.nodes.options(two.second)),
      again(two.nodes.options(two.first));
  const auto compare = [&](const TestSession& session, const std::string& model) {
    for (uint64_t seed = 1; seed <= 10; ++seed)
      if (computed(session.handle, tiny_input(seed)) !=
          alone(session.handle, model, tiny_input(seed)))
        return false;
    return true;
  };
  bool equal[3] = {};
  std::thread one([&] { equal[0] = compare(first, two.first); });
  std::thread other([&] { equal[1] = compare(second, two.second); });
  equal[2] = compare(again, two.first);
  one.join();
  other.join();
  CHECK(equal[0]);
  CHECK(equal[1]);
  CHECK(equal[2]);
}

TEST_CASE("sessions on one node open and close while another one computes") {
  const TwoModels two;
  const TestSession stays(two.nodes.options(two.first));
  const std::vector<float> expected = computed(stays.handle, tiny_input(1));
  std::atomic<bool> ends{false};
  std::atomic<int> wrong{0}, right{0};
  std::thread computing([&] {
    while (!ends) ++(computed(stays.handle, tiny_input(1)) == expected ? right : wrong);
  });
  for (int i = 0; i < 6; ++i) {
    const std::string& model = i % 2 == 0 ? two.second : two.first;
    const TestSession passing(two.nodes.options(model));
    std::vector<shingle_request*> left;  // under way when it closes
    for (int frame = 0; frame < 8; ++frame)
      left.push_back(submitted(passing.handle, tiny_input(1)));
    CHECK(shingle_close(passing.handle) == SHINGLE_OK);
    for (shingle_request* request : left) shingle_request_free(request);
  }
  ends = true;
  computing.join();
  CHECK(wrong == 0);
  CHECK(right > 0);
}

TEST_CASE("the node is there for the next session once the last one has left") {
  const TwoModels two;
  const size_t before = threads();
  for (const std::string& model : {two.first, two.second}) {
    const TestSession session(two.nodes.options(model));
    CHECK(computed(session.handle, tiny_input(1)) == alone(session.handle, model, tiny_input(1)));
  }
  CHECK(becomes_true([&] { return threads() == before; }));
}

TEST_CASE("sessions on one node that want other rules for it are refused") {
  const TwoModels two;
  const TestSession session(two.nodes.options(two.first));
  for (const auto& [name, value] :
       OptionTexts{{"patience", "5"}, {"audit", "10%"}, {"memory", "1GiB"}}) {
    OptionTexts texts = two.nodes.options(two.second);
    texts[name] = value;
    const TestOptions options(texts);
    shingle_session* refused = nullptr;
    check_refused(shingle_open(options.handle, &refused), SHINGLE_USAGE,
                  "with another value of the option '" + name + "'");
  }
  CHECK_FALSE(computed(session.handle, tiny_input(1)).empty());
}

TEST_CASE("sessions on one node may have 64 frames under way together") {
  const TwoModels two;
  std::vector<std::unique_ptr<TestSession>> sessions;
  OptionTexts texts = two.nodes.options(two.first);
  texts["open"] = "16";
  for (int i = 0; i < 4; ++i) sessions.push_back(std::make_unique<TestSession>(texts));
  const TestOptions options(texts);
  shingle_session* refused = nullptr;
  check_refused(shingle_open(options.handle, &refused), SHINGLE_RUNTIME,
                "80 frames under way, and it was started for 64");
  sessions.pop_back();
  const TestSession fits(texts);
  CHECK_FALSE(computed(fits.handle, tiny_input(1)).empty());
}
