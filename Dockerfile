# One image for every role and for the migration. docs/image.md says how it is built, checked and measured.

# Node's current LTS. The run image has neither shell nor package manager; any other with `node` on its PATH will do.
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

# Program and dependencies are JavaScript alone, so each is built once, on the builder's own processor, for all of them.
FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY apps ./apps
COPY libs ./libs
COPY clients/typescript ./clients/typescript
COPY deploy/supply-chain ./deploy/supply-chain
# Without what only the demo and development need.
RUN npm run build \
 && rm -rf dist/libs/devkit dist/apps/cli/src/demo \
 && node apps/cli/bundle.mjs \
 && npm run sbom

FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS dependencies
WORKDIR /build
COPY package.json package-lock.json ./
# Optional are the binaries of embedded Postgres and the helm of the tests; TypeScript comes as a peer of a client that
# has it for its types alone. Licence texts stay.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/typescript node_modules/.bin node_modules/.package-lock.json \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \
      -o -iname 'readme*.md' -o -iname 'changelog*.md' -o -iname 'history*.md' \) -delete

# Same content, same bytes: no time of this build in any file.
FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS files
COPY --from=dependencies /build/package.json /app/package.json
COPY --from=dependencies /build/node_modules /app/node_modules
COPY --from=build /build/dist /app/dist
# The command `repotide`, for kubectl exec. NODE is the path of node in BASE_IMAGE.
ARG NODE=/nodejs/bin/node
RUN mkdir -p /bin-of-app \
 && printf '#!%s\nimport("/app/dist/bundle/main.js");\n' "$NODE" > /bin-of-app/repotide \
 && chmod 755 /bin-of-app/repotide \
 && touch --date=@0 /bin-of-app/repotide
RUN find /app -exec touch --no-dereference --date=@0 {} +

# Of git only the program itself, which unpacks objects here: it needs no helper, no shell and no network.
FROM ${BUILD_IMAGE} AS git
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && libraries=$(ldd /usr/bin/git | grep -oE '/[^ ]+/lib(pcre2-8|z)\.so[^ ]*') \
 && folder=/git/usr/lib/$(basename "$(dirname "$(echo "$libraries" | head -n 1)")") \
 && mkdir -p /git/usr/bin "$folder" \
 && cp /usr/bin/git /git/usr/bin/git \
 && cp --dereference $libraries "$folder" \
 && find /git -exec touch --no-dereference --date=@0 {} +

FROM ${BASE_IMAGE}
# What is made below belongs to root, so that the process cannot change its own code.
USER 0:0
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Repotide" \
      org.opencontainers.image.description="Keeps a vector database true to your GitLab repositories." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# The distroless image keeps node outside the usual PATH.
ENV NODE_ENV=production \
    PATH=/nodejs/bin:/usr/local/bin:/usr/bin:/bin
WORKDIR /app
COPY --from=git /git/ /
COPY --from=files /app /app
COPY --from=files /bin-of-app/ /usr/local/bin/
USER 65532:65532
EXPOSE 3000
ENTRYPOINT ["node", "--enable-source-maps", "--max-semi-space-size=4", "--import", "./dist/apps/cli/src/process-one.js", "dist/bundle/main.js"]
CMD ["serve"]
