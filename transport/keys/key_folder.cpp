#include "transport/keys/key_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace shingle {
namespace {

constexpr size_t longest_file = 1 << 20;

// A descriptor that closes itself.
class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  File(const File& folder, const std::string& name, int flags)
      : number_(::openat(folder.number_, name.c_str(), flags | O_CLOEXEC)) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return assert(ok()), number_; }  // REQUIRES: ok()
  bool ok() const { return number_ >= 0; }

 private:
  const int number_;
};

Error failed(const std::string& what, const std::string& path) {
  return {"cannot " + what + " '" + path + "': " + std::strerror(errno)};
}

// REQUIRES: the file is open.
Result<std::string> read_all(const File& file, const std::string& path) {
  assert(file.ok());
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t count = ::read(file.number(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("read", path);
    if (count == 0) return text;
    text.append(part, static_cast<size_t>(count));
    if (text.size() > longest_file) return Error{"'" + path + "' is too long for keys"};
  }
}

// REQUIRES: the file is open.
Status write_all(const File& file, const std::string& text, const std::string& path) {
  assert(file.ok());
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(file.number(), text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("write", path);
    done += static_cast<size_t>(count);
  }
  if (::fsync(file.number()) != 0 && errno != EINVAL) return failed("write", path);
  return success();
}

// What other users must not be able to do, and the command that prevents it.
struct Rights {
  mode_t kind;
  mode_t kept_from_others;
  const char* otherwise;
  const char* mend;
};
constexpr Rights of_folder{S_IFDIR, 022, "can be written by others, who could let anybody in",
                           "chmod go-w"};
constexpr Rights of_list{S_IFREG, 022, "can be written by others, who could let anybody in",
                         "chmod go-w"};
constexpr Rights of_secret{S_IFREG, 077,
                           "can be read by others (make a new key if anybody may have seen it)",
                           "chmod 600"};

// Checks the open file, not its name, so that nobody can exchange the file in between.
// REQUIRES: the file is open.
Status check_rights(const File& file, const std::string& path, const Rights& rights, uid_t user) {
  assert(file.ok());
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) return failed("look at", path);
  if ((facts.st_mode & S_IFMT) != rights.kind)
    return Error{"'" + path + "' is no " + (rights.kind == S_IFDIR ? "folder" : "file")};
  if (facts.st_uid != user && facts.st_uid != 0)
    return Error{"'" + path + "' belongs to another user, and keys must be one's own: chown " +
                 std::to_string(user) + " '" + path + "'"};
  if ((facts.st_mode & rights.kept_from_others) != 0)
    return Error{"'" + path + "' " + rights.otherwise + ": " + rights.mend + " '" + path + "'"};
  return success();
}

// Gives a new file to the owner of its folder, where that is not this process's user.
// REQUIRES: the file is open.
Status give_to(uid_t user, const File& file, const std::string& folder, const std::string& path) {
  if (user == ::geteuid()) return success();
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) return failed("look at", folder);
  if (::fchown(file.number(), facts.st_uid, facts.st_gid) != 0)
    return failed("change the owner of", path);
  return success();
}

constexpr const char* list_name = "allowed";

std::string secret_name(NodeId node) { return "node-" + std::to_string(node.value) + ".secret"; }

}  // namespace

KeyFolder KeyFolder::for_owner(std::string path) {
  KeyFolder folder(std::move(path));
  folder.for_owner_ = true;
  return folder;
}

uid_t KeyFolder::user() const {
  struct stat facts {};
  if (for_owner_ && ::geteuid() == 0 && ::stat(path_.c_str(), &facts) == 0) return facts.st_uid;
  return ::geteuid();
}

std::string KeyFolder::secret_path(NodeId node) const { return path_ + "/" + secret_name(node); }

Result<Allowed> KeyFolder::allowed() const {
  const std::string path = allowed_path();
  const File folder(path_, O_RDONLY | O_DIRECTORY);
  const File file(folder, list_name, O_RDONLY | O_NONBLOCK);
  if (!folder.ok() || !file.ok()) {
    if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT)
      return Error{"there is no list of keys '" + path +
                   "': 'shingle keys init' on one machine makes it, and the others get copies"};
    return failed("read", path);
  }
  if (const Status own = check_rights(folder, path_, of_folder, user()); !own) return own.failure();
  if (const Status own = check_rights(file, path, of_list, user()); !own) return own.failure();
  auto text = read_all(file, path);
  if (!text) return text.failure();
  auto allowed = Allowed::parse(*text);
  if (!allowed) return Error{"'" + path + "', " + allowed.error()};
  return allowed;
}

Result<KeyPair> KeyFolder::pair_of(NodeId node) const {
  const std::string path = secret_path(node);
  const File folder(path_, O_RDONLY | O_DIRECTORY);
  if (folder.ok())
    if (const Status own = check_rights(folder, path_, of_folder, user()); !own)
      return own.failure();
  const File file(folder, secret_name(node), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.ok() && (errno == ENOENT || errno == EBADF))
    return Error{"there is no key of node " + std::to_string(node.value) + ", '" + path +
                 "': 'shingle keys add " + std::to_string(node.value) +
                 "' makes one, or copy it from where it was made"};
  if (!file.ok()) return failed("read", path);
  if (const Status own = check_rights(file, path, of_secret, user()); !own) return own.failure();
  auto text = read_all(file, path);
  if (!text) return text.failure();
  auto pair = parse_secret(*text);
  if (!pair) return Error{"'" + path + "': " + pair.error()};
  return pair;
}

bool KeyFolder::exists() const { return ::access(allowed_path().c_str(), F_OK) == 0; }

Status KeyFolder::create() const {
  const std::filesystem::path folder(path_);
  std::error_code error;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  if (error) return Error{"cannot make the folder above '" + path_ + "': " + error.message()};
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) return failed("make", path_);
  const File opened(path_, O_RDONLY | O_DIRECTORY);
  if (!opened.ok()) return failed("open", path_);
  if (const Status own = check_rights(opened, path_, of_folder, user()); !own) return own;
  return exists() ? success() : save(Allowed{});
}

// A file that was renamed survives a power cut only once its folder is on the disk too.
Status KeyFolder::sync() const {
  const File folder(path_, O_RDONLY | O_DIRECTORY);
  if (!folder.ok()) return failed("open", path_);
  if (::fsync(folder.number()) != 0 && errno != EINVAL) return failed("write", path_);
  return success();
}

Status KeyFolder::save(const Allowed& allowed) const {
  const std::string path = allowed_path(), draft = path + ".new";
  ::unlink(draft.c_str());  // left by somebody who was killed
  {
    const File file(draft, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (!file.ok()) return failed("write", draft);
    if (const Status written = write_all(file, allowed.text(), draft); !written) return written;
    if (const Status given = give_to(user(), file, path_, draft); !given) return given;
  }
  if (std::rename(draft.c_str(), path.c_str()) != 0) return failed("replace", path);
  return sync();
}

Status KeyFolder::save(NodeId node, const KeyPair& pair) const {
  assert(is_key(pair.open.z85) && is_key(pair.secret));
  const std::string path = secret_path(node);
  const File file(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file.ok() && errno == EEXIST)
    return Error{"'" + path + "' is there already: revoke node " + std::to_string(node.value) +
                 " first if it shall have a new key"};
  if (!file.ok()) return failed("write", path);
  Status saved = write_all(file, secret_text(node, pair), path);
  if (saved) saved = give_to(user(), file, path_, path);
  if (!saved) {  // a part of a secret would be in the way of the next attempt
    ::unlink(path.c_str());
    return saved;
  }
  return sync();
}

Status KeyFolder::forget(NodeId node) const {
  const std::string path = secret_path(node);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failed("remove", path);
  return sync();
}

Result<Credentials> credentials_of(NodeId node, const KeyFolder& folder) {
  auto allowed = folder.allowed();
  if (!allowed) return allowed.failure();
  auto pair = folder.pair_of(node);
  if (!pair) return pair.failure();
  if (const Status own = check_own_key(*allowed, folder, node, pair->open); !own)
    return own.failure();
  return Credentials{node, folder, std::move(*pair), std::move(*allowed)};
}

Status check_own_key(const Allowed& allowed, const KeyFolder& folder, NodeId node,
                     const PublicKey& own) {
  assert(is_key(own.z85));
  const PublicKey* listed = allowed.key_of(node);
  if (listed != nullptr && *listed == own) return success();
  const std::string lacks = listed == nullptr ? "does not name node " : "has another key for node ";
  return Error{"the list '" + folder.allowed_path() + "' " + lacks + std::to_string(node.value) +
               ": take the one that was written with its key"};
}

std::string KeyFolder::usual_path() {
  if (const char* given = std::getenv("SHINGLE_KEYS"); given != nullptr && *given != 0)
    return given;
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != 0)
    return std::string(config) + "/shingle/keys";
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : ".") + "/.config/shingle/keys";
}

}  // namespace shingle
