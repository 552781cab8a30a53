# The life of packages: what is there once one is installed, upgraded, downgraded, removed, purged. Needs root.sh, $names, $now, $next.
wants=/etc/systemd/system/multi-user.target.wants
enabled=$wants/shingle-serve@kitchen.service
has() { [[ " ${names[*]} " == *" $1 "* ]]; }

check_installed() {  # check_installed NAME
  case $1 in
    shingle-node)
      check "the node starts and says its version" node_says_version
      check "settings: root:shingle 640, folder 750" node_settings_are_protected
      check "an upgrade will not ask about settings" has_no_conffiles shingle-node
      check "keys and cache: shingle 700" node_folders_are_its_own
      check "the user cannot log in" user_is_locked
      check "the service is enabled" test -L "$root$wants/shingle-node.service"
      check "a board pack sets it up" take_board_pack
      check "its keys are the service's" board_keys_are_the_services ;;
    shingle)
      check "shingle-serve@ is there as a unit" test -e "$root/lib/systemd/system/shingle-serve@.service"
      check "an instance of it is enabled" enable_instance ;;
  esac
}
node_says_version() { inside shingle-node --version | says '^shingle '; }
node_settings_are_protected() { [ "$(owners /etc/shingle/node.toml /etc/shingle)" = 'root:shingle 640 root:shingle 750' ]; }
has_no_conffiles() { [ -z "$(inside dpkg-query -W -f='${Conffiles}' "$1")" ]; }
node_folders_are_its_own() { [ "$(owners /etc/shingle/keys /var/cache/shingle)" = 'shingle:shingle 700 shingle:shingle 700' ]; }
user_is_locked() { grep -q '^shingle:!' "$root/etc/shadow" && inside getent passwd shingle | says ':/usr/sbin/nologin$'; }
take_board_pack() {  # as node 7; the keys are made where no service reads them
  printf '[[node]]\nid = 7\nport = 7007\n' >"$root/tmp/boards.toml"
  inside_quietly shingle-node keys init --cluster /tmp/boards.toml --keys /tmp/made-elsewhere &&
    inside_quietly shingle-node keys pack 7 --cluster /tmp/boards.toml --keys /tmp/made-elsewhere --out /tmp/node-7.board &&
    inside_quietly shingle-node keys take /tmp/node-7.board && inside_quietly shingle-node config check
}
board_keys_are_the_services() {
  [ "$(owners /etc/shingle/keys/node-7.secret /etc/shingle/keys/allowed)" = 'shingle:shingle 600 shingle:shingle 644' ]
}
enable_instance() {  # as systemctl does, which this root has not
  mkdir -p "$root$wants" "$root/var/lib/shingle-serve/kitchen" &&
    ln -s /lib/systemd/system/shingle-serve@.service "$root$enabled" &&
    echo 'model = ["/usr/share/shingle/models/vehicles.onnx"]' >"$root/etc/shingle/serve/kitchen.toml" &&
    touch "$root/var/lib/shingle-serve/kitchen/sent.onnx"
}

# Settings, keys and the enabled instance, by the files that hold them.
settings_stay() {
  ! has shingle-node || { grep -q '^id = 7' "$root/etc/shingle/node.toml" && [ -e "$root/etc/shingle/keys/node-7.secret" ]; } || return 1
  ! has shingle || { [ -e "$root/etc/shingle/serve/kitchen.toml" ] && [ -L "$root$enabled" ]; }
}
are_of() {  # are_of FOLDER: whether all are installed in its version
  local version; version=$(dpkg-deb --field "$(echo "$1/${names[0]}"_*_"$arch".deb)" Version)
  [ "$(inside dpkg-query -W -f='${db:Status-Status} ${Version}\n' "${names[@]}" | sort -u)" = "installed $version" ]
}
move_to() { install_from "$1" "${names[@]}" && are_of "$1"; }
check_upgrade_and_downgrade() {
  check "all upgrade" move_to "$next"
  check "an upgrade keeps settings, keys and the enabled instance" settings_stay
  check "all downgrade" move_to "$now"
  check "a downgrade keeps them too" settings_stay
  ! has shingle-node || check "the node reads its settings" node_reads_settings
}
node_reads_settings() { inside shingle-node config show | says '^id = 7'; }

nothing_in_usr() { local found; found=$(find "$root/usr" -xdev -iname '*shingle*'); [ -z "$found" ] || { echo "$found"; return 1; }; }
check_removal() {
  check "all are removed" inside_quietly apt-get remove -y -qq "${names[@]}"
  check "removed: programs, libraries, units and modules go" nothing_in_usr
  check "removed: settings, keys and the enabled instance stay" settings_stay
}

check_purge() {
  if has shingle; then
    check "shingle is purged" inside_quietly apt-get purge -y -qq shingle
    check "purged: its settings, models and links go, those of the node stay" only_the_nodes_settings_stay
  fi
  check "all are purged" inside_quietly dpkg --purge "${names[@]}"  # apt knows nothing more of those without settings
  check "what they needed goes as well" inside_quietly apt-get autoremove --purge -y -qq
  check "purged: nothing is left but the user" nothing_is_left
  ! has shingle-node || check "purged: the user stays and cannot log in" user_is_locked
}
only_the_nodes_settings_stay() {
  [ ! -e "$root/etc/shingle/serve" ] && [ ! -e "$root/var/lib/shingle-serve" ] && [ ! -L "$root$enabled" ] &&
    { ! has shingle-node || [ -e "$root/etc/shingle/node.toml" ]; }
}
nothing_is_left() {
  local left; left=$(cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp \) -prune -o -iname '*shingle*' -print)
  [ -z "$left" ] || { echo "$left"; return 1; }
}
