# Programs outside, built in the root with libshingle-dev: by CMake and by pkg-config, with the shared library and with the static one.
# Needs root.sh. `shingle` is not installed yet, so the model is a copy.
use_from_outside() {
  cp models/vehicles.onnx examples/c/first.c "$root/tmp/"
  check "the compilers come from Debian" from_debian cmake g++ make pkg-config
  check "a project in C builds by CMake with libshingle-dev alone" build_outside c shingle::shingle
  check "the project in C computes" c_program_computes
  check "a project in C++ builds by CMake with libshingle-dev alone" build_outside cpp shingle::shingle
  check "the project in C++ computes" cpp_program_computes
  check "a program in C builds by pkg-config and computes" builds_by_pkg_config shared '$(pkg-config --cflags --libs shingle)'
  check "what a static program needs is suggested, and comes from Debian" install_suggested
  check "a project in C++ builds by CMake with the static library" build_outside cpp shingle::static
  check "it computes without the shared one" cpp_program_is_static
  check "a program in C builds by pkg-config with the static library and computes" builds_by_pkg_config static \
    '-l:libshingle.a $(pkg-config --cflags --libs --static shingle | sed s/-lshingle//)'
}
build_outside() {  # build_outside EXAMPLE TARGET, in /tmp/EXAMPLE
  rm -rf "$root/tmp/$1"; cp -r "examples/$1" "$root/tmp/$1"
  sed -i "s/shingle::shingle/$2/" "$root/tmp/$1/CMakeLists.txt"
  inside_quietly sh -c "cmake -S /tmp/$1 -B /tmp/$1/build && cmake --build /tmp/$1/build"
}
c_program_computes() { inside /tmp/c/build/first /tmp/vehicles.onnx | says 'begins with'; }
cpp_program_computes() { inside /tmp/cpp/build/frames /tmp/vehicles.onnx 3 | says '^3 frames'; }
cpp_program_is_static() { inside ldd /tmp/cpp/build/frames >"$root/tmp/ldd" && ! grep -q libshingle "$root/tmp/ldd" && cpp_program_computes; }
builds_by_pkg_config() {  # builds_by_pkg_config PROGRAM OPTIONS
  inside_quietly sh -c "cd /tmp && cc first.c -o $1 $2" && inside "/tmp/$1" /tmp/vehicles.onnx | says 'begins with'
}
install_suggested() {
  local suggested; suggested=$(inside dpkg-query -W -f='${Suggests}' libshingle-dev)
  [ -n "$suggested" ] && from_debian ${suggested//,/}
}
