# SPDX-License-Identifier: Apache-2.0
# Runs one command in a fresh system, as on a separate machine. scripts/try-fresh starts it, within its own namespaces:
#
#   bash fresh_inside.sh TREE TIMES CUDA USER COMMAND
#
# TREE: the system's files. TIMES: the file for "wall user system" seconds. CUDA: "FOLDER TARGET", a toolkit and its path in the
# system, or empty. No other process sees the mounts made here, and they end with the last process of these namespaces.
set -euo pipefail
tree=$1 times=$2 cuda=$3 user=$4 command=$5

hostname fresh
mount -t proc -o nosuid,nodev,noexec proc "$tree/proc"
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$tree/sys"

# Devices: those of this machine that any program may use, and the system's own pseudo-terminals.
mount -t tmpfs -o mode=755,nosuid,noexec tmpfs "$tree/dev"
for device in null zero full random urandom tty; do
  touch "$tree/dev/$device"
  mount --bind "/dev/$device" "$tree/dev/$device"
done
mkdir "$tree/dev/pts" "$tree/dev/shm"
mount -t devpts -o newinstance,gid=5,mode=620,ptmxmode=666 devpts "$tree/dev/pts"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$tree/dev/shm"
ln -s pts/ptmx "$tree/dev/ptmx"
ln -s /proc/self/fd "$tree/dev/fd"
for stream in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${stream%:*}" "$tree/dev/${stream#*:}"; done

if [[ -n $cuda ]]; then
  mkdir -p "$tree${cuda#* }"
  ln -sfn "${cuda#* }" "$tree/usr/local/cuda" # as NVIDIA's packages do
  mount --bind "${cuda% *}" "$tree${cuda#* }"
  mount -o remount,bind,ro "$tree${cuda#* }"
fi

# Every line begins with the seconds since the start.
stamp() {
  local line
  SECONDS=0
  while IFS= read -r line || [[ -n $line ]]; do printf '%5d  %s\n' "$SECONDS" "$line"; done
}
# `su -` is a login: the environment is the system's, and has nothing of this machine.
TIMEFORMAT='%0R %0U %0S'
{ time chroot "$tree" su - "$user" -c "$command" </dev/null 2>&1 | stamp; } 2>"$times"
