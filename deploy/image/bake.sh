#!/usr/bin/env bash
# Builds and pushes the image for amd64 and arm64, on base images that are pinned by digest. Needs docker with buildx. BUILD_IMAGE
# and BASE_IMAGE replace the base images of the Dockerfile. See docs/image.md.
# Usage: deploy/image/bake.sh <image with a tag>
set -euo pipefail
export IMAGE=${1:?the image to push, such as registry.example.com/repotide:0.1.0}
cd "$(dirname "$0")/../.."

# The value that the Dockerfile gives an argument.
default_of() { sed -n "s/^ARG $1=//p" Dockerfile; }

# A tag may be another image tomorrow; a digest may not.
pinned() {
  case $1 in
    *@sha256:*) echo "$1" ;;
    *) echo "${1%:*}@$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$1")" ;;
  esac
}

BUILD_IMAGE=$(pinned "${BUILD_IMAGE:-$(default_of BUILD_IMAGE)}")
BASE_IMAGE=$(pinned "${BASE_IMAGE:-$(default_of BASE_IMAGE)}")
VERSION=${IMAGE##*:}
REVISION=$(git rev-parse HEAD)
export BUILD_IMAGE BASE_IMAGE VERSION REVISION
echo "BUILD_IMAGE=$BUILD_IMAGE"
echo "BASE_IMAGE=$BASE_IMAGE"
docker buildx bake --file deploy/image/docker-bake.hcl
