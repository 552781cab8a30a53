# The clean root of tools/try-packages, and what is done in it. Needs $suite and $arch; sets $root and $failed.
failed=0
check() {  # check WHAT COMMAND...
  local what=$1; shift
  if "$@"; then echo "ok      $what"; else echo "FAILED  $what"; failed=1; fi
}
says() { grep -e "$1" >/dev/null; }  # reads all of its input: `grep -q` would end its writer

make_root() {
  local clean; clean=$(tools/tree --arch "$arch" --name package "$suite" ca-certificates)
  root=$(mktemp -d "${TMPDIR:-/tmp}/shingle-package.XXXXXX")
  trap 'umount -l "$root/proc" "$root/dev" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
  cp -a "$clean/." "$root/"
  # In tools/foreign neither a /proc of its own can be mounted nor can devices be made.
  mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind --make-rslave /proc "$root/proc"
  [ -c "$root/dev/null" ] || mount --rbind --make-rslave /dev "$root/dev"
  cp "$clean.apt" "$root/etc/apt/apt.conf.d/50tree" 2>/dev/null || true
  cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
  inside apt-get update -qq >/dev/null
}

inside() { DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
inside_quietly() {  # says nothing but the end of what a command said that failed
  inside "$@" >"$root/tmp/command.log" 2>&1 || { tail -20 "$root/tmp/command.log" >&2; return 1; }
}
from_debian() { inside_quietly apt-get install -y -qq --no-install-recommends "$@"; }
install_from() {  # install_from FOLDER NAME...
  local folder=$1 name; shift
  rm -rf "$root/tmp/packages"; mkdir "$root/tmp/packages"
  for name in "$@"; do cp "$folder/${name}"_*_"$arch".deb "$root/tmp/packages/" || return 1; done
  inside_quietly sh -c 'apt-get install -y -qq --no-install-recommends --allow-downgrades /tmp/packages/*.deb'
}
size() { du -sxk --exclude=tmp --exclude=var/cache/apt --exclude=var/lib/apt --exclude=proc --exclude=dev "$1" | cut -f1; }
# Over a tree without anything: the root has certificates for apt, and OpenSSL with them, which the node needs too.
say_growth() {
  local bare; bare=$(tools/tree --arch "$arch" --name bare "$suite" apt)
  echo "        shingle-node with all that it needs: $(( ($(size "$root") - $(size "$bare")) / 1000 )) MB installed"
}
owners() { inside stat -c '%U:%G %a' "$@" | xargs; }  # of several files, in one line
