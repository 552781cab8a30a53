#include "apps/system/line_process.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "apps/system/plain_text.hpp"

namespace shingle {
namespace {

constexpr std::chrono::milliseconds time_to_end{500};  // once nobody speaks to it any more
constexpr size_t longest_last_words = 300;

std::string error_file(const TemporaryFolder& folder) { return folder.path() + "/stderr"; }

}  // namespace

Result<LineProcess> LineProcess::start(const Options& options) {
  if (::access(options.program.c_str(), X_OK) != 0)
    return Error{"cannot start '" + options.program + "': " + std::strerror(errno)};
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.failure();
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return Error{"cannot make a socket for '" + options.program + "': " + std::strerror(errno)};
  Result<ChildProcess> child = ChildProcess::start({.program = options.program,
                                                    .arguments = options.arguments,
                                                    .error_file = error_file(*folder),
                                                    .stream = sockets[1]});
  ::close(sockets[1]);
  if (!child) {
    ::close(sockets[0]);
    return child.failure();
  }
  return LineProcess(options, std::move(*folder), std::move(*child), sockets[0]);
}

LineProcess::LineProcess(Options options, TemporaryFolder folder, ChildProcess child, int socket)
    : options_(std::move(options)),
      folder_(std::move(folder)),
      child_(std::move(child)),
      socket_(socket) {}

LineProcess::LineProcess(LineProcess&& other) noexcept
    : options_(std::move(other.options_)),
      folder_(std::move(other.folder_)),
      child_(std::move(other.child_)),
      socket_(std::exchange(other.socket_, -1)),
      received_(std::move(other.received_)),
      failure_(std::move(other.failure_)) {}

LineProcess::~LineProcess() {
  if (socket_ < 0) return;
  ::close(socket_);
  child_.ended(time_to_end);
}

Result<std::string> LineProcess::exchange(const std::string& line) {
  assert(line.find('\n') == std::string::npos);
  if (!failure_.empty()) return Error{failure_};
  deadline_ = std::chrono::steady_clock::now() + options_.patience;
  const Status written = write(line + "\n");
  Result<std::string> answer = written ? read() : Result<std::string>(written.failure());
  if (!answer) failure_ = answer.error();
  return answer;
}

Status LineProcess::wait_until_ready(short events) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
    pollfd wait{.fd = socket_, .events = events, .revents = 0};
    const int ready = left.count() <= 0 ? 0 : ::poll(&wait, 1, static_cast<int>(left.count()));
    if (ready > 0) return success();
    if (ready < 0 && errno == EINTR) continue;
    return Error{"'" + options_.program + "' has not answered for " +
                 std::to_string(options_.patience.count()) + " ms"};
  }
}

Status LineProcess::write(const std::string& line) {
  for (size_t done = 0; done < line.size();) {
    if (Status ready = wait_until_ready(POLLOUT); !ready) return ready;
    const ssize_t count =
        ::send(socket_, line.data() + done, line.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) done += static_cast<size_t>(count);
    if (count <= 0 && errno != EAGAIN && errno != EINTR) return ended();
  }
  return success();
}

Result<std::string> LineProcess::read() {
  for (;;) {
    const size_t end = received_.find('\n');
    if (end != std::string::npos && end + 1 < received_.size())
      return Error{"'" + options_.program + "' answered one line with several"};
    if (end != std::string::npos) {
      std::string answer = received_.substr(0, end);
      received_.clear();
      return answer;
    }
    if (received_.size() >= options_.longest_line)
      return Error{"'" + options_.program + "' answered with more than " +
                   std::to_string(options_.longest_line) + " bytes in one line"};
    if (Status ready = wait_until_ready(POLLIN); !ready) return ready.failure();
    char bytes[4096];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) received_.append(bytes, static_cast<size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return ended();
  }
}

// It has closed its output, or has ended.
Error LineProcess::ended() {
  const std::optional<std::string> how = child_.ended(time_to_end);
  const std::string words = last_words();
  return {"'" + options_.program + "' " +
          (how ? "ended with " + *how : "closed its output without ending") +
          (words.empty() ? "" : "; its last words: " + words)};
}

std::string LineProcess::last_words() const {
  std::ifstream file(error_file(folder_), std::ios::binary | std::ios::ate);
  if (!file) return {};
  const auto size = static_cast<std::streamoff>(file.tellg());
  const auto kept = std::min(size, static_cast<std::streamoff>(longest_last_words));
  file.seekg(size - kept);
  std::string text(static_cast<size_t>(kept), '\0');
  file.read(text.data(), kept);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return plain_text(text, longest_last_words);
}

}  // namespace shingle
