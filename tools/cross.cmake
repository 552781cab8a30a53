# CMake's toolchain file for another architecture in a tree of `tools/in-tree --cross`, where its libraries lie beside
# this machine's (multiarch). $SHINGLE_TRIPLET names it, such as aarch64-linux-gnu.
set(CMAKE_SYSTEM_NAME Linux)
set(triplet $ENV{SHINGLE_TRIPLET})
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${triplet}")
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR}-static)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${triplet}/pkgconfig:/usr/share/pkgconfig)
