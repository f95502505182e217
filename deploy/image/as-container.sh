#!/usr/bin/env bash
# Runs a command as Kubernetes would run it in a pod of the chart, without a container engine: as process 1 of a separate PID
# namespace, in a root file system that is read-only except for an empty /tmp, as an ordinary user without capabilities.
# Passes on the environment, the exit code and, to process 1, the signals of the caller. Needs root.
# Usage: as-container.sh [-b <source>:<path in root>]... <root folder> <uid:gid> <working folder> <command> [argument]...
set -euo pipefail

if [ "${1:-}" != --inside ]; then
  exec unshare --mount --pid --fork --kill-child -- "$0" --inside "$@"
fi
shift

binds=()
while [ "$1" = -b ]; do
  binds+=("$2")
  shift 2
done
root=$1 user=$2 folder=$3
shift 3

mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
read_only=("$root")
for bind in ${binds[@]+"${binds[@]}"}; do
  target=$root${bind#*:}
  if [ -d "${bind%%:*}" ]; then mkdir -p "$target"; else mkdir -p "${target%/*}" && touch "$target"; fi
  mount --bind "${bind%%:*}" "$target"
  read_only+=("$target")
done
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for target in "${read_only[@]}"; do mount -o remount,bind,ro "$target"; done

exec setpriv --no-new-privs unshare --root="$root" --wd="$folder" --setgid "${user#*:}" --setuid "${user%%:*}" -- "$@"
