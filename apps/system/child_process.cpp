#include "apps/system/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

namespace shingle {
namespace {

constexpr std::chrono::milliseconds patience{2000};
constexpr int could_not_start = 127;  // as shells return it
constexpr int unknown_status = -1;

void redirect(const char* path, int target) {
  const int descriptor = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (descriptor >= 0) ::dup2(descriptor, target);
}

void redirect_input(const char* path) {
  const int descriptor = ::open(path, O_RDONLY);
  if (descriptor >= 0) ::dup2(descriptor, STDIN_FILENO);
}

// Blocks all signals. One that reached the child before exec would run the parent's handler there,
// and the new program would never see it.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// Runs between fork and exec, where only async-signal-safe calls are allowed (signal-safety(7)).
[[noreturn]] void become(const ChildProcess::Options& options, char* const* arguments,
                         pid_t parent) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  sigset_t none;  // the parent's mask may block signals that the child needs
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(could_not_start);  // the parent died before prctl()
  if (options.stream >= 0) {
    ::dup2(options.stream, STDIN_FILENO);
    ::dup2(options.stream, STDOUT_FILENO);
  } else {
    redirect_input("/dev/null");
    redirect(options.output_file.c_str(), STDOUT_FILENO);
  }
  redirect(options.error_file.c_str(), STDERR_FILENO);
  // What the parent's other parts have open is not for the child: it could hold a port or a pipe.
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execv(options.program.c_str(), arguments);
  ::_exit(could_not_start);
}

// Uses pidfd_open(2): the descriptor becomes readable when the process ends.
void wait_for_end_of(pid_t process, std::chrono::milliseconds wait) {
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return;
  pollfd end{.fd = descriptor, .events = POLLIN, .revents = 0};
  ::poll(&end, 1, static_cast<int>(wait.count()));
  ::close(descriptor);
}

}  // namespace

std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

Result<ChildProcess> ChildProcess::start(const Options& options) {
  std::vector<char*> arguments{const_cast<char*>(options.program.c_str())};
  for (const std::string& argument : options.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const SignalsHeld held;
  const pid_t child = ::fork();
  if (child == 0) become(options, arguments.data(), parent);
  if (child < 0) return Error{"cannot start '" + options.program + "': " + std::strerror(errno)};
  return ChildProcess(child);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)), status_(other.status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(status_, other.status_);
  return *this;
}

ChildProcess::~ChildProcess() {
  ask_to_stop();
  wait_or_kill();
}

bool ChildProcess::reap(int options) {
  if (id_ < 0 || status_) return true;
  int status = 0;
  const pid_t ended = ::waitpid(id_, &status, options);
  if (ended == id_) status_ = status;
  // Another part of the process took the status, or ignores SIGCHLD.
  if (ended < 0 && errno == ECHILD) status_ = unknown_status;
  return status_.has_value();
}

std::optional<std::string> ChildProcess::ended(std::chrono::milliseconds wait) {
  if (!reap(WNOHANG) && wait.count() > 0) wait_for_end_of(id_, wait);
  if (!reap(WNOHANG) || !status_) return std::nullopt;
  if (*status_ == unknown_status) return "an unknown exit code";
  if (WIFSIGNALED(*status_)) return "signal " + std::to_string(WTERMSIG(*status_));
  return "exit code " + std::to_string(WEXITSTATUS(*status_));
}

void ChildProcess::ask_to_stop() {
  if (!reap(WNOHANG)) ::kill(id_, SIGTERM);
}

void ChildProcess::wait_or_kill() {
  if (!reap(WNOHANG)) wait_for_end_of(id_, patience);
  if (reap(WNOHANG)) return;
  ::kill(id_, SIGKILL);
  reap(0);
}

}  // namespace shingle
