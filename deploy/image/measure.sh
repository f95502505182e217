#!/usr/bin/env bash
# Measures an image that buildah holds, and runs it as the chart would: its root file system read-only but for /tmp, its
# own user, no capability, process 1 of a PID namespace. Needs root, buildah and curl; see docs/image.md.
# Usage: DATABASE_URL=postgres://... deploy/image/measure.sh <image>
set -euo pipefail
image=${1:?name of an image in the storage of buildah}
: "${DATABASE_URL:?a Postgres that the image may fill}"
port=${PORT:-3999}

container=$(buildah from "$image")
work=$(mktemp -d)
started=
cleanup() {
  [ -z "$started" ] || kill -KILL "$started" 2>/dev/null || true
  buildah rm "$container" >/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
root=$(buildah mount "$container")

echo "== size"
buildah push -q "$image" "oci:$work/oci:measured"
find "$work/oci/blobs" -type f -size +1M -printf '%s\n' | sort -n |
  awk '{ total += $1; printf "layer %6.1f MB compressed\n", $1 / 1e6 } END { printf "all   %6.1f MB compressed\n", total / 1e6 }'

echo "== user and permissions"
user=$(buildah inspect --type image --format '{{.OCIv1.Config.User}}' "$image")
echo "user $user"
echo "files under /app that the user could write: $(find "$root/app" ! -type l \( -perm -o+w -o -uid "${user%%:*}" \) | wc -l)"
echo "setuid or setgid files: $(find "$root" -xdev -type f -perm /6000 | wc -l)"
echo "shells: $(find "$root/bin" "$root/usr/bin" "$root/usr/local/bin" -name '*sh' 2>/dev/null | wc -l)"

# The namespaces and mounts of a container, then its process in their place.
enter='
  mkdir -p "$1/proc" "$1/dev" "$1/tmp"
  mount --bind "$1" "$1"
  mount -t proc proc "$1/proc"
  mount --bind /dev "$1/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
  mount -o remount,bind,ro "$1"
  exec setpriv --no-new-privs chroot --userspec="$2" "$1" /nodejs/bin/node --enable-source-maps /app/dist/apps/cli/src/main.js serve
'
# Starts the image's process 1 with a minimal environment; its number as seen from outside is in $process then.
start() {
  env -i "PATH=$PATH" NODE_ENV=production "DATABASE_URL=$DATABASE_URL" "PORT=$port" HOST=127.0.0.1 POD_NAME=measured \
    REPOTIDE_DATA_DIR=/tmp/repotide LOG_LEVEL=warn REPOTIDE_ADMIN_TOKEN=only-for-this-measurement \
    unshare --mount --pid --fork bash -c "$enter" enter "$root" "$user" >"$work/log" 2>&1 &
  started=$!
  until process=$(pgrep -P "$started"); do sleep 0.01; done
}
# Waits for the end and prints what the caller wants to know of it.
finish() {
  local code=0
  wait "$started" || code=$?
  started=
  echo "$1 after $(($(date +%s%3N) - $2)) ms, exit code $code"
}

for round in cold warm warm; do
  begin=$(date +%s%3N)
  start
  until curl -sfo /dev/null "http://127.0.0.1:$port/health/ready"; do
    kill -0 "$started" 2>/dev/null || { cat "$work/log"; exit 1; }
    sleep 0.02
  done
  echo "ready ($round) after $(($(date +%s%3N) - begin)) ms, $(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$process/status") MB resident"
  begin=$(date +%s%3N)
  kill -TERM "$process"
  finish "SIGTERM: ended" "$begin"
done
start
sleep 0.5
begin=$(date +%s%3N)
kill -TERM "$process"
finish "SIGTERM while starting: ended" "$begin"
