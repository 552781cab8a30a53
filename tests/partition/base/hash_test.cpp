// SHA-256 compared with the examples of FIPS 180-4, and with coreutils' sha256sum around block
// borders.
#include "partition/base/hash.hpp"

#include <doctest/doctest.h>

#include "partition/base/hash_blocks.hpp"

using namespace shingle;

TEST_CASE("SHA-256 gives the published digests") {
  CHECK(to_string(sha256("")) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(to_string(sha256("abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(to_string(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(to_string(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                         "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")) ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(to_string(sha256(std::string(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("messages that end about a block border are padded right") {
  CHECK(to_string(sha256(std::string(55, 'a'))) ==
        "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  CHECK(to_string(sha256(std::string(56, 'a'))) ==
        "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  CHECK(to_string(sha256(std::string(63, 'a'))) ==
        "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
  CHECK(to_string(sha256(std::string(64, 'a'))) ==
        "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  CHECK(to_string(sha256(std::string(65, 'a'))) ==
        "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
  CHECK(to_string(sha256(std::string(119, 'a'))) ==
        "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
  CHECK(to_string(sha256(std::string(120, 'a'))) ==
        "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
  CHECK(to_string(sha256(std::string(128, 'a'))) ==
        "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e");
}

TEST_CASE("the processor's own instructions give the plain rounds' state") {
  std::string blocks;
  for (uint32_t i = 0, x = 1; i < 7 * hash_block_bytes; ++i) {
    x = x * 1664525 + 1013904223;
    blocks += static_cast<char>(x >> 24);
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(blocks.data());
  for (size_t count = 0; count <= 6; ++count) {
    HashState plain{1, 2, 3, 4, 5, 6, 7, 8}, own = plain;
    absorb_plainly(plain, bytes + 1, count);
    absorb(own, bytes + 1, count);
    CHECK(plain == own);
  }
}

TEST_CASE("a hash has a short name for people and a prefix for messages") {
  const Hash hash = sha256("abc");
  CHECK(short_name(hash) == "ba7816bf8f01");
  CHECK(prefix64(hash) == 0xba7816bf8f01cfea);
  CHECK(sha256("abc") == hash);
  CHECK(sha256("abd") != hash);
}
