// Cores of made-up machines: who is big, who is not there.
#include "devices/threads/cores.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/devices/scratch.hpp"

namespace shingle::tests {

namespace {

// A sysfs of our own.
class Machine {
 public:
  void tell(const std::string& file, int64_t value) const {
    const std::filesystem::path path = folder_.path() + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << value << "\n";
  }
  std::vector<Core> cores() const { return read_cores(folder_.path()); }
  std::vector<int> chosen(const std::string& choice) const {
    const auto found = chosen_cores(choice, cores());
    REQUIRE_MESSAGE(found.ok(), found.error());
    return *found;
  }

 private:
  Scratch folder_;
};

// Odroid XU4: four little cores, then four big ones.
class Odroid : public Machine {
 public:
  Odroid() {
    for (int core = 0; core < 8; ++core)
      tell("cpu" + std::to_string(core) + "/cpu_capacity", core < 4 ? 448 : 1024);
    tell("cpufreq/policy0/something", 1);
    tell("cpuidle/something", 1);
  }
};

using Numbers = std::vector<int>;

}  // namespace

TEST_CASE("the big cores of a big.LITTLE machine are those of the greatest capacity") {
  const Odroid machine;
  CHECK(machine.cores().size() == 8);
  CHECK(machine.chosen("big") == Numbers{4, 5, 6, 7});
  CHECK(machine.chosen("all") == Numbers{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(machine.chosen("6,0-1,1") == Numbers{0, 1, 6});
}

TEST_CASE(
    "without capacities the fastest clocks tell, and cores that nothing tells apart are all big") {
  Machine clocks, alike;
  for (int core = 0; core < 4; ++core) {
    const std::string name = "cpu" + std::to_string(core);
    clocks.tell(name + "/cpufreq/cpuinfo_max_freq", core == 2 ? 2'400'000 : 1'400'000);
    alike.tell(name + "/topology/core_id", core);
  }
  CHECK(clocks.chosen("big") == Numbers{2});
  CHECK(alike.chosen("big") == Numbers{0, 1, 2, 3});
}

TEST_CASE("a core that is offline or absent is not run on") {
  const Odroid machine;
  machine.tell("cpu7/online", 0);
  machine.tell("cpu6/online", 1);
  CHECK(machine.chosen("big") == Numbers{4, 5, 6});
  for (const char* absent : {"7", "0-7", "9"}) {
    const auto found = chosen_cores(absent, machine.cores());
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().find("there is no core") != std::string::npos);
  }
  CHECK_FALSE(chosen_cores("all", {}).ok());
}

TEST_CASE("what is no choice of cores is known as none") {
  for (const char* choice : {"all", "big", "0", "0,2-3", "1023"}) CHECK(is_core_choice(choice));
  for (const char* choice :
       {"", "little", "-1", "3-2", "1,", ",", "0-", "1024", "0x1", "0 1", "99999999999999999999"})
    CHECK_FALSE(is_core_choice(choice));
  CHECK_FALSE(is_core_choice(std::string(1000, '1')));
}

TEST_CASE("this process runs where it is told to") {
  const std::vector<Core> before = allowed(read_cores());
  REQUIRE(!before.empty());
  std::vector<int> all;
  for (const Core& core : before) all.push_back(core.number);
  REQUIRE(run_on({before.front().number}).ok());
  CHECK(allowed(read_cores()) == std::vector<Core>{before.front()});
  REQUIRE(run_on(all).ok());
  CHECK(allowed(read_cores()) == before);
  CHECK_FALSE(run_on({}).ok());
}

}  // namespace shingle::tests
