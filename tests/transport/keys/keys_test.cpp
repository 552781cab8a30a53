#include "transport/keys/keys.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/transport/keys/key_scene.hpp"
#include "transport/keys/doorkeeper.hpp"
#include "transport/keys/key_folder.hpp"
#include "transport/zmq/token_bucket.hpp"

namespace shingle {
namespace {

using testing::KeyScene;

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST_CASE("a pair's halves belong together, and two pairs differ") {
  const KeyPair one = new_key_pair(), other = new_key_pair();
  CHECK(is_key(one.open.z85));
  CHECK(is_key(one.secret));
  CHECK(one.secret != other.secret);
  const auto read = parse_secret(secret_text({3}, one));
  REQUIRE(read.ok());
  CHECK(read->open == one.open);
  CHECK(read->secret == one.secret);
  CHECK_FALSE(parse_secret(secret_text({3}, {other.open, one.secret})).ok());
  CHECK_FALSE(parse_secret("").ok());
  CHECK_FALSE(parse_secret("public x\nsecret y\n").ok());
}

TEST_CASE("a list is read as it was written") {
  Allowed allowed;
  const PublicKey one = new_key_pair().open, two = new_key_pair().open;
  CHECK(allowed.add({7}, one));
  CHECK(allowed.add({2}, two));
  CHECK_FALSE(allowed.add({7}, new_key_pair().open));  // it has one
  CHECK_FALSE(allowed.add({8}, one));                  // somebody else's
  const auto read = Allowed::parse(allowed.text());
  REQUIRE(read.ok());
  CHECK(read->keys() == allowed.keys());
  CHECK(read->node_of(one) == NodeId{7});
  CHECK(*read->key_of({2}) == two);
  CHECK(allowed.remove({7}));
  CHECK_FALSE(allowed.remove({7}));
  CHECK_FALSE(allowed.node_of(one).has_value());
}

TEST_CASE("no part of a list is taken for the whole") {
  Allowed allowed;
  for (uint32_t node = 1; node <= 12; ++node) REQUIRE(allowed.add({node}, new_key_pair().open));
  const std::string text = allowed.text();
  for (size_t length = 0; length + 1 < text.size(); ++length) {
    const auto part = Allowed::parse(text.substr(0, length));
    if (part)
      CHECK(part->keys()
                .empty());  // the cut is in the comment: the list is empty, so it admits nobody
  }
  CHECK(Allowed::parse(text.substr(0, text.size() - 1))->keys() == allowed.keys());
  // A list that was changed, or joined from two lists, is refused too.
  const std::string other = new_key_pair().open.z85;
  std::string changed = text;
  changed.replace(changed.find("\n3 ") + 3, key_letters, other);
  CHECK(has(Allowed::parse(changed).error(), "the end does not fit the list"));
  CHECK(has(Allowed::parse(text + "13 " + other + "\n").error(), "more after the end"));
  CHECK_FALSE(Allowed::parse(text + text).ok());
  // Blanks and comments may be changed.
  std::string spaced = "# for the roof\n";
  for (const char letter : text)
    spaced += letter == '\n' ? std::string(" \r\n\n") : std::string(1, letter);
  CHECK(Allowed::parse(spaced)->keys() == allowed.keys());
}

TEST_CASE("a list of an earlier version is read, and known to have no end") {
  const std::string key = new_key_pair().open.z85;
  const auto old = Allowed::parse("# a comment\n1 " + key + "\n");
  REQUIRE(old.ok());
  CHECK_FALSE(old->has_end());
  CHECK(old->key_of({1})->z85 == key);
  CHECK(Allowed::parse(old->text())->has_end());
}

TEST_CASE("a list that says something else is refused with the line") {
  const std::string key = new_key_pair().open.z85;
  const auto refusal = [](const std::string& text) {
    const auto read = Allowed::parse(text);
    return read ? std::string() : read.error();
  };
  CHECK(refusal("# only a comment\n\n").empty());
  CHECK(has(refusal("\n1 " + key + " more\n"), "line 2"));
  CHECK(has(refusal("one " + key), "a node's id"));
  CHECK(has(refusal("-1 " + key), "a node's id"));
  CHECK(has(refusal("4294967296 " + key), "a node's id"));
  CHECK(has(refusal("1 " + key.substr(1)), "40 letters"));
  CHECK(has(refusal("1 " + key + "\n2 " + key + "\n"), "line 2: node 2 or its key"));
  CHECK(has(refusal("1 " + key + "\n1 " + new_key_pair().open.z85), "line 2"));
}

TEST_CASE("a secret that others may read is refused") {
  const KeyScene scene({1, 2});
  const KeyFolder folder = scene.folder();
  REQUIRE(folder.pair_of({1}).ok());
  REQUIRE(::chmod(folder.secret_path({1}).c_str(), 0640) == 0);
  const auto pair = folder.pair_of({1});
  REQUIRE_FALSE(pair.ok());
  CHECK(has(pair.error(), "chmod 600"));
}

TEST_CASE("a list or a folder that others may write is refused with the chmod") {
  const KeyScene scene({1});
  const KeyFolder folder = scene.folder();
  const auto refusal = [&](const std::string& path, mode_t mode, mode_t usual) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    const auto list = folder.allowed();
    const auto pair = folder.pair_of({1});
    REQUIRE(::chmod(path.c_str(), usual) == 0);
    REQUIRE(folder.allowed().ok());
    return std::pair(list ? "" : list.error(), pair ? "" : pair.error());
  };
  for (const mode_t mode : {0664, 0646}) {
    const auto [list, pair] = refusal(folder.allowed_path(), mode, 0644);
    CHECK(has(list, "can be written by others"));
    CHECK(has(list, "chmod go-w '" + folder.allowed_path() + "'"));
    CHECK(pair.empty());
  }
  for (const mode_t mode : {0770, 0707, 01777}) {
    const auto [list, pair] = refusal(scene.path(), mode, 0700);
    CHECK(has(list, "chmod go-w '" + scene.path() + "'"));
    CHECK(has(pair, "chmod go-w '" + scene.path() + "'"));
  }
  CHECK(refusal(scene.path(), 0755, 0700).first.empty());
  CHECK(refusal(folder.allowed_path(), 0600, 0644).first.empty());
  REQUIRE(::chmod(scene.path().c_str(), 0777) == 0);
  CHECK(has(folder.create().error(), "chmod go-w"));
  REQUIRE(::chmod(scene.path().c_str(), 0700) == 0);
}

TEST_CASE("keys of another user are refused" * doctest::skip(::geteuid() != 0)) {
  const KeyScene scene({1});
  const KeyFolder folder = scene.folder();
  for (const std::string& path : {folder.allowed_path(), scene.path(), folder.secret_path({1})}) {
    REQUIRE(::chown(path.c_str(), 12345, 0) == 0);
    const auto credentials = credentials_of({1}, folder);
    REQUIRE_FALSE(credentials.ok());
    CHECK(has(credentials.error(), "'" + path + "' belongs to another user"));
    CHECK(has(credentials.error(), "chown"));
    REQUIRE(::chown(path.c_str(), 0, 0) == 0);
  }
  CHECK(credentials_of({1}, folder).ok());
}

TEST_CASE("what credentials lack is said") {
  const KeyScene scene({1, 2});
  CHECK(credentials_of({1}, scene.folder()).ok());
  const auto missing = credentials_of({3}, scene.folder());
  REQUIRE_FALSE(missing.ok());
  CHECK(has(missing.error(), "'shingle keys add 3'"));
  const auto nowhere = credentials_of({1}, KeyFolder(scene.path() + "/none"));
  REQUIRE_FALSE(nowhere.ok());
  CHECK(has(nowhere.error(),
            "'shingle keys init' on one machine makes it, and the others get copies"));
  scene.revoke({1});
  const auto revoked = credentials_of({1}, scene.folder());
  REQUIRE_FALSE(revoked.ok());
  CHECK(has(revoked.error(), "does not name node 1"));
  scene.allow({1}, new_key_pair().open);
  CHECK(has(credentials_of({1}, scene.folder()).error(), "another key for node 1"));
}

TEST_CASE("a key that is there is not overwritten, and a list is replaced as a whole") {
  const KeyScene scene({1});
  const KeyFolder folder = scene.folder();
  CHECK_FALSE(folder.save({1}, new_key_pair()).ok());
  std::ofstream(folder.allowed_path() + ".new") << "left behind";
  CHECK(folder.save(Allowed{}).ok());
  CHECK(folder.allowed()->keys().empty());
  CHECK(folder.create().ok());  // and again: nothing is lost
  CHECK(folder.pair_of({1}).ok());
}

TEST_CASE("a list that cannot be read for want of descriptors is read once it can be") {
  const KeyScene scene({1, 2});
  zmq::context_t context;
  std::vector<std::string> notes;
  const auto keeper =
      Doorkeeper::open(context, credentials_of({1}, scene.folder()).value(),
                       {.on_stranger = [](const std::string&) {},
                        .on_list = [&](const std::string& note) { notes.push_back(note); }})
          .value();
  CHECK_FALSE(keeper->refresh());
  scene.revoke({2});
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const bool changed = keeper->refresh() || keeper->refresh();
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK_FALSE(changed);
  CHECK(notes.size() == 1);
  CHECK(keeper->refresh());
  CHECK(keeper->allowed().keys().size() == 1);
}

TEST_CASE("a bucket gives what it holds, then what flows in") {
  TokenBucket bucket(10.0, 3.0);
  const TokenBucket::Instant start{std::chrono::seconds(100)};
  for (int i = 0; i < 3; ++i) CHECK(bucket.take(start));
  CHECK_FALSE(bucket.take(start));
  CHECK_FALSE(bucket.take(start + std::chrono::milliseconds(50)));
  CHECK(bucket.take(start + std::chrono::milliseconds(101)));
  CHECK_FALSE(bucket.take(start + std::chrono::milliseconds(110)));
  const auto later = start + std::chrono::hours(1);
  for (int i = 0; i < 3; ++i) CHECK(bucket.take(later));
  CHECK_FALSE(bucket.take(later));
}

}  // namespace
}  // namespace shingle
