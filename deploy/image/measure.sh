#!/usr/bin/env bash
# Measures an image in buildah's storage and runs it as the chart would (as-container.sh). Needs root, buildah and curl; see
# docs/image.md.
# Usage: DATABASE_URL=postgres://... deploy/image/measure.sh <image>
set -euo pipefail
image=${1:?name of an image in the storage of buildah}
: "${DATABASE_URL:?a Postgres that the image may fill}"
port=${PORT:-3999}
here=$(cd "$(dirname "$0")" && pwd)

container=$(buildah from "$image")
work=$(mktemp -d)
started= process=
cleanup() {
  # When process 1 ends, the kernel kills all processes of its namespace.
  [ -z "$started" ] || kill -KILL "$process" 2>/dev/null || true
  buildah rm "$container" >/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
root=$(buildah mount "$container")
inspect() { buildah inspect --type image --format "$1" "$image"; }

echo "== size"
buildah push -q "$image" "oci:$work/oci:measured"
find "$work/oci/blobs" -type f -size +1M -printf '%s\n' | sort -n |
  awk '{ all += $1; printf "layer %6.1f MB compressed\n", $1 / 1e6 } END { printf "all   %6.1f MB compressed\n", all / 1e6 }'

echo "== user and permissions"
user=$(inspect '{{.OCIv1.Config.User}}')
echo "user $user"
echo "files under /app that the user could write: $(find "$root/app" ! -type l \( -perm -o+w -o -uid "${user%%:*}" \) | wc -l)"
echo "setuid or setgid files: $(find "$root" -xdev -type f -perm /6000 | wc -l)"
echo "shells: $(find "$root"/{,usr/,usr/local/}bin -name '*sh' 2>/dev/null | wc -l)"

echo "== start and stop"
mapfile -t command < <(inspect '{{range .OCIv1.Config.Entrypoint}}{{println .}}{{end}}{{range .OCIv1.Config.Cmd}}{{println .}}{{end}}' | grep .)
mapfile -t environment < <(inspect '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' | grep .)
folder=$(inspect '{{.OCIv1.Config.WorkingDir}}')
# Outside the namespace, process 1 has the number $process.
start() {
  env -i "${environment[@]}" "DATABASE_URL=$DATABASE_URL" "PORT=$port" HOST=127.0.0.1 POD_NAME=measured \
    REPOTIDE_DATA_DIR=/tmp/repotide LOG_LEVEL=warn REPOTIDE_ADMIN_TOKEN=only-for-this-measurement \
    "$here/as-container.sh" "$root" "$user" "$folder" "${command[@]}" >"$work/log" 2>&1 &
  started=$!
  until process=$(pgrep -P "$started"); do sleep 0.01; done
}
stop() {
  local begin code=0
  begin=$(date +%s%3N)
  kill -TERM "$process"
  wait "$started" || code=$?
  started=
  echo "ended $(($(date +%s%3N) - begin)) ms after SIGTERM, exit code $code"
}

for round in 1 2 3; do
  begin=$(date +%s%3N)
  start
  until curl -sfo /dev/null "http://127.0.0.1:$port/health/ready"; do
    kill -0 "$started" 2>/dev/null || { cat "$work/log"; exit 1; }
    sleep 0.02
  done
  echo "start $round: ready after $(($(date +%s%3N) - begin)) ms, $(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$process/status") MiB resident"
  stop
done
for wait in 0.3 1; do
  echo "signalled $wait s after its start:"
  start
  sleep "$wait"
  stop
done
