# The image for several processors, with provenance and a bill of materials. deploy/image/bake.sh sets the variables.
variable "IMAGE" {}
variable "VERSION" {}
variable "REVISION" {}

# With their digests, as in docker.io/library/node@sha256:...
variable "BUILD_IMAGE" {}
variable "BASE_IMAGE" {}

target "default" {
  context    = "."
  tags       = [IMAGE]
  platforms  = ["linux/amd64", "linux/arm64"]
  attest     = ["type=provenance,mode=max", "type=sbom"]
  output     = ["type=image,push=true,rewrite-timestamp=true"]
  args = {
    BUILD_IMAGE       = BUILD_IMAGE
    BASE_IMAGE        = BASE_IMAGE
    VERSION           = VERSION
    REVISION          = REVISION
    SOURCE_DATE_EPOCH = "0"
  }
}
