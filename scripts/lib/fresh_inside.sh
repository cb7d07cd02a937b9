# Runs one command in a fresh system, as on a machine of its own. Started by scripts/try-fresh, within namespaces of its own:
#
#   bash fresh_inside.sh TREE TIMES CUDA USER COMMAND
#
# TREE: the system's files. TIMES: where "wall user system" seconds go. CUDA: "FOLDER PLACE", a toolkit and where the system has
# it, or empty. Every mount made here is seen by nobody else, and is gone with the last process of these namespaces.
set -euo pipefail
tree=$1 times=$2 cuda=$3 user=$4 command=$5

hostname fresh
mount -t proc -o nosuid,nodev,noexec proc "$tree/proc"
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$tree/sys"

# Devices: those of this machine that any program may use, and pseudo-terminals of its own.
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

# Every line gets the seconds since the start: what took how long.
stamp() {
  local line
  SECONDS=0
  while IFS= read -r line || [[ -n $line ]]; do printf '%5d  %s\n' "$SECONDS" "$line"; done
}
# `su -` is a login: the environment is the system's, with nothing of this machine's.
TIMEFORMAT='%0R %0U %0S'
{ time chroot "$tree" su - "$user" -c "$command" </dev/null 2>&1 | stamp; } 2>"$times"
