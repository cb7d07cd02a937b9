# SPDX-License-Identifier: Apache-2.0
# Fresh systems made by debootstrap. Sourced by scripts/try-fresh, which sets $work (the folder), $logs and $child.

# suite_of NAME: debootstrap's name of the release
suite_of() {
  case $1 in
    debian-12) say bookworm ;;
    debian-13) say trixie ;;
    ubuntu-24.04) say noble ;;
    *) return 1 ;;
  esac
}

# title_of debian-12: Debian 12
title_of() { local title=${1^}; say "${title/-/ }"; }

# isolated COMMAND...: runs it with its own mounts, processes and host name. All of these end with this script, however it ends:
# the kernel kills `unshare` with its parent, and every process inside with `unshare`; the mounts go with them.
isolated() {
  local status=0
  setpriv --pdeathsig KILL unshare --mount --uts --ipc --pid --fork --kill-child --mount-proc -- "$@" </dev/null 9>&- &
  child=$!
  wait "$child" || status=$?
  child=
  return "$status"
}

# remove FOLDER: removes a tree in which this process sees no mounts; never touches another file system
remove() { rm -rf --one-file-system -- "$1"; }

# host_mirror LABEL: prints from where apt gets packages of Debian or Ubuntu on this machine; prints nothing if it gets none
host_mirror() {
  if ! have apt-get; then return 0; fi
  # shellcheck disable=SC2016 # apt's own variables
  apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -nE "s/^$1\|(https?:.*)/\1/p" | head -n1 || true
}

host_proxy() {
  local proxy=${http_proxy:-}
  if [[ -z $proxy ]] && have apt-config; then
    proxy=$(apt-config dump 2>/dev/null | sed -nE 's/^Acquire::http::Proxy "(http.*)";/\1/p' | head -n1 || true)
  fi
  say "$proxy"
}

# ubuntu_keyring: sets UBUNTU_KEYRING, the file with Ubuntu's signatures. Debian 13 has it as a package. A Debian without it gets
# it from there, by signatures that it trusts.
ubuntu_keyring() {
  local keyring=$UBUNTU_KEYRING tree=$work/try/keyring
  if [[ -z $keyring ]]; then keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg; fi
  if [[ ! -e $keyring ]]; then
    keyring=$work/ubuntu-archive-keyring.gpg
    if [[ ! -e $keyring ]]; then
      base debian-13 || return
      copy_system debian-13 "$tree"
      inside "$tree" "$logs/keyring.log" '' root 'apt-get -q update && apt-get -q -y install ubuntu-keyring' || return
      cp "$tree/usr/share/keyrings/ubuntu-archive-keyring.gpg" "$keyring"
      remove "$tree"
    fi
  fi
  UBUNTU_KEYRING=$keyring
}

# base NAME: makes the minimal system with git in $work/base-NAME. One that an earlier run kept is used again.
base() {
  local name=$1 folder=$work/base-$1 log=$logs/base-$1.log mirror=$DEBIAN_MIRROR script='' proxy arguments
  if [[ -d $folder ]]; then return 0; fi
  arguments=(--variant=minbase "--include=git,ca-certificates")
  if [[ $name == ubuntu-* ]]; then
    ubuntu_keyring || return
    mirror=$UBUNTU_MIRROR
    arguments+=("--components=main,universe" "--keyring=$UBUNTU_KEYRING")
    # All Ubuntus share one script. An older debootstrap finds it for a newer Ubuntu by its first name, gutsy.
    if [[ ! -e /usr/share/debootstrap/scripts/$(suite_of "$name") ]]; then script=gutsy; fi
  fi
  proxy=$(host_proxy)
  say "$(title_of "$name"): debootstrap${mirror:+ from $mirror}"
  remove "$folder.part"
  http_proxy=$proxy isolated debootstrap "${arguments[@]}" "$(suite_of "$name")" "$folder.part" "$mirror" "$script" >"$log" 2>&1 || return
  printf 'fresh\n' >"$folder.part/etc/hostname"
  printf '127.0.0.1 localhost fresh\n::1 localhost\n' >"$folder.part/etc/hosts"
  if [[ -n $proxy ]]; then printf 'Acquire::http::Proxy "%s";\n' "$proxy" >"$folder.part/etc/apt/apt.conf.d/01proxy"; fi
  rm -f "$folder.part/etc/resolv.conf"
  cp -L /etc/resolv.conf "$folder.part/etc/resolv.conf" || return
  mv "$folder.part" "$folder"
}

copy_system() {
  remove "$2"
  mkdir -p "$(dirname "$2")"
  cp -a --reflink=auto "$work/base-$1" "$2"
}

# inside TREE LOG CUDA USER COMMAND: runs the command in the system; seconds are then in $TIMES (wall, user, system)
inside() {
  local tree=$1 log=$2 status=0
  rm -f "$work/times"
  isolated bash "$BALLOT_ROOT/scripts/lib/fresh_inside.sh" "$tree" "$work/times" "${@:3}" >>"$log" 2>&1 || status=$?
  TIMES=$(tail -n1 "$work/times" 2>/dev/null || true)
  return "$status"
}
