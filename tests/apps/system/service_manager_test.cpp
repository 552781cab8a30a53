// What systemd hears of a service.
#include "apps/system/service_manager.hpp"

#include "tests/apps/notify_socket.hpp"
#include "tests/apps/scratch_folder.hpp"

using namespace shingle;

TEST_CASE("a loop that hangs is not said to be alive") {
  const ScratchFolder folder;
  NotifySocket systemd(folder / "notify");
  const Variable socket("NOTIFY_SOCKET", folder / "notify");
  ServiceManager manager;
  uint64_t turns = 7;
  manager.alive(turns);
  CHECK(systemd.next() == "WATCHDOG=1");
  for (int i = 0; i < 5; ++i) manager.alive(turns);  // its watcher goes on, its loop does not
  manager.ready("next");
  CHECK(systemd.next() == "READY=1\nSTATUS=next");
  manager.alive(++turns);
  CHECK(systemd.next() == "WATCHDOG=1");
}
