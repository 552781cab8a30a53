// The library from outside: its symbols, and projects that find it where `cmake --install` put it.
#include <filesystem>
#include <sstream>

#include "tests/apps/program.hpp"
#include "tests/library/session_fixture.hpp"
#include "tests/places.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

namespace fs = std::filesystem;

std::string build_folder() {
  return fs::path(shingle_program()).parent_path().parent_path().string();
}

// Runs a line of the shell; its output. The test fails if it does.
std::string shell(const std::string& line) {
  Program program({"-c", line}, {}, "/bin/sh");
  const std::string how = program.end();
  REQUIRE_MESSAGE(how == "exit code 0", line, "\n", program.out(), program.err());
  return program.out();
}

// The components of a library, below a prefix of its own, with the program of local workers.
struct Installed {
  Installed() {
    for (const char* component : {"runtime", "dev"})
      shell("cmake --install '" + build_folder() + "' --prefix '" + prefix() + "' --component " +
            component);
    fs::create_directory(prefix() + "/bin");
    fs::copy(node_program(), prefix() + "/bin/shingle-node");
  }
  std::string prefix() const { return folder.path(); }
  std::string library_folder() const {
    const std::string found = shell("dirname $(find '" + prefix() + "' -name libshingle.so.0)");
    return found.substr(0, found.find('\n'));
  }
  ScratchFolder folder;
};

// With the example's CMakeLists.txt; `target`: what it links.
void build_example(const Installed& installed, const std::string& example,
                   const ScratchFolder& built, const std::string& target) {
  const std::string source = built / "source";
  fs::copy(source_folder() + "/examples/" + example, source);
  if (target != "shingle::shingle")
    shell("sed -i 's/shingle::shingle/" + target + "/' '" + source + "/CMakeLists.txt'");
  shell("cmake -S '" + source + "' -B '" + built.path() + "' -DCMAKE_BUILD_TYPE=Debug" +
        " -DCMAKE_C_FLAGS='-Wall -Wextra -Werror -pedantic'" +
        " -DCMAKE_CXX_FLAGS='-Wall -Wextra -Wconversion -Wshadow -Werror -pedantic'" +
        " -DCMAKE_PREFIX_PATH='" + installed.prefix() + "' && cmake --build '" + built.path() +
        "'");
}

}  // namespace

TEST_CASE("the shared library gives the functions of shingle.h and nothing else" *
          doctest::test_suite("installed")) {
  const std::string symbols =
      shell("nm -D --defined-only '" + build_folder() +
            "/apps/libshingle.so.0' | awk '$2 != \"A\" { print $3 }' | LC_ALL=C sort");
  CHECK(symbols == text_of(source_folder() + "/tests/library/symbols.txt"));
  const std::string header = text_of(source_folder() + "/include/shingle/shingle.h");
  std::istringstream lines(symbols);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find('@'));
    CHECK(line == name + "@@SHINGLE_0");
    CHECK_MESSAGE(header.find(name + "(") != std::string::npos, name);
  }
  CHECK(
      shell("readelf -d '" + build_folder() + "/apps/libshingle.so.0'").find("[libshingle.so.0]") !=
      std::string::npos);
  CHECK(shell("ldd '" + build_folder() + "/apps/libshingle.so.0'").find("opencv") ==
        std::string::npos);
}

TEST_CASE("projects outside find the installed library by CMake, and its workers beside it" *
          doctest::test_suite("installed")) {
  const Installed installed;
  const ScratchFolder models;
  const std::string model = tiny_model(models);
  const ScratchFolder c, cpp;
  build_example(installed, "c", c, "shingle::shingle");
  CHECK(shell("env -u SHINGLE_NODE '" + (c / "first") + "' '" + model + "'").find("begins with") !=
        std::string::npos);
  build_example(installed, "cpp", cpp, "shingle::shingle");
  CHECK(shell("env -u SHINGLE_NODE '" + (cpp / "frames") + "' '" + model + "' 12")
            .find("12 frames") != std::string::npos);
  CHECK(shell("ldd '" + (c / "first") + "'").find("libshingle.so.0") != std::string::npos);
}

TEST_CASE("settings of a node that are there stay when it is installed again" *
          doctest::test_suite("installed")) {
  const ScratchFolder root;
  const std::string settings = root / "etc/shingle/node.toml";
  const auto install = [&] {  // which also wants manual pages; they need not be built
    shell("DESTDIR='" + root.path() + "' cmake --install '" + build_folder() +
          "' --component node >/dev/null 2>&1 || true");
    shell("DESTDIR='" + root.path() + "' cmake --install '" + build_folder() +
          "' --component settings");
  };
  install();
  CHECK(contents(settings) == contents(source_folder() + "/packaging/node.toml"));
  shell("echo 'id = 3' > '" + settings + "'");
  const std::string program = root / "usr/local/bin/shingle-node";
  REQUIRE(fs::remove(program));
  install();
  CHECK(fs::exists(program));
  CHECK(contents(settings) == "id = 3\n");
}

TEST_CASE("pkg-config builds programs with the shared library, and with the static one" *
          doctest::test_suite("installed")) {
  const Installed installed;
  const ScratchFolder models, built;
  const std::string model = tiny_model(models);
  const std::string folder = installed.library_folder();
  const std::string config = "PKG_CONFIG_PATH='" + folder + "/pkgconfig' pkg-config ";
  const std::string source = "'" + source_folder() + "/examples/c/first.c'";
  shell("cc -std=c11 -Wall -Werror -pedantic " + source + " -o '" + (built / "shared") + "' $(" +
        config + "--cflags --libs shingle) -Wl,-rpath,'" + folder + "'");
  CHECK(shell("'" + (built / "shared") + "' '" + model + "'").find("begins with") !=
        std::string::npos);
  shell("cc -std=c11 -Wall -Werror -pedantic " + source + " -o '" + (built / "static") + "' '" +
        folder + "/libshingle.a' $(" + config +
        "--cflags --libs --static shingle | sed s/-lshingle//)");
  CHECK(shell("ldd '" + (built / "static") + "'").find("libshingle") == std::string::npos);
  CHECK(shell("SHINGLE_NODE='" + node_program() + "' '" + (built / "static") + "' '" + model + "'")
            .find("begins with") != std::string::npos);
}

TEST_CASE("the archive has the functions of shingle.h as its only names, and CMake links it" *
          doctest::test_suite("installed")) {
  const Installed installed;
  const ScratchFolder models, cpp;
  const std::string model = tiny_model(models);
  const std::string names = shell("nm -g --defined-only '" + installed.library_folder() +
                                  "/libshingle.a' | awk '$2 ~ /[TDBR]/ { print $3 }'");
  std::istringstream lines(names);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    CHECK_MESSAGE(line.starts_with("shingle_"), line);
  CHECK(count > 20);
  build_example(installed, "cpp", cpp, "shingle::static");
  CHECK(shell("SHINGLE_NODE='" + node_program() + "' '" + (cpp / "frames") + "' '" + model + "' 3")
            .find("3 frames") != std::string::npos);
}
