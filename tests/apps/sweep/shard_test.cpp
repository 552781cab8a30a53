#include "apps/sweep/shard.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace shingle;

namespace {

using Variables = std::map<std::string, std::string>;

Result<Shard> shard_in(const Variables& variables, const std::string& asked = "") {
  return shard_of(asked, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}
void check_shard(const Variables& variables, uint32_t rank, uint32_t size) {
  const auto shard = shard_in(variables);
  REQUIRE_MESSAGE(shard.ok(), shard.error());
  CHECK(shard->rank == rank);
  CHECK(shard->size == size);
}

}  // namespace

TEST_CASE("without an environment a process runs all of it") { check_shard({}, 0, 1); }

TEST_CASE("MPI's launchers and Slurm say which part a process runs") {
  check_shard({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, 2, 4);
  check_shard({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}}, 0, 3);
  check_shard({{"SLURM_PROCID", "7"}, {"SLURM_NTASKS", "8"}}, 7, 8);
  check_shard({{"SLURM_ARRAY_TASK_ID", "12"},
               {"SLURM_ARRAY_TASK_MIN", "10"},
               {"SLURM_ARRAY_TASK_COUNT", "5"}},
              2, 5);
}

TEST_CASE("each process of each task of a Slurm array has a part of its own") {
  check_shard({{"SLURM_ARRAY_TASK_ID", "1"},
               {"SLURM_ARRAY_TASK_MIN", "0"},
               {"SLURM_ARRAY_TASK_COUNT", "2"},
               {"SLURM_PROCID", "2"},
               {"SLURM_NTASKS", "3"}},
              5, 6);
}

TEST_CASE("what the user asks for counts more than the environment") {
  const auto shard = shard_in({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}}, "2/4");
  REQUIRE(shard.ok());
  CHECK(*shard == Shard{1, 4, "--shard"});
}

TEST_CASE("what is no part of a whole is refused") {
  for (const char* text : {"0/4", "5/4", "1", "1/", "/2", "1/0", "a/b", "1/2/3", "-1/2"}) {
    CAPTURE(text);
    CHECK(shard_in({}, text).error().find("write 1/4 to 4/4") != std::string::npos);
  }
  CHECK(shard_in({{"SLURM_ARRAY_TASK_ID", "30"},
                  {"SLURM_ARRAY_TASK_MIN", "10"},
                  {"SLURM_ARRAY_TASK_COUNT", "5"}})
            .error()
            .find("without gaps") != std::string::npos);
  CHECK_FALSE(shard_in({{"PMI_RANK", "x"}, {"PMI_SIZE", "3"}}).ok());
}
