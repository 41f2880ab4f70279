# One image for all processes. The command selects the process; the default is the api.
#
# The base is pinned: a tag can be moved to other content. Docker stops if the digest does not exist. To see the newest one:
#   docker buildx imagetools inspect node:24.21.0-bookworm-slim
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/shared/package.json packages/shared/
COPY packages/embedded/package.json packages/embedded/
COPY packages/cluster/package.json packages/cluster/
COPY apps/api/package.json apps/api/
COPY apps/worker/package.json apps/worker/
# The workspace `test` is not copied, so nothing that it needs is installed.
# `--ignore-scripts`: the apps need no install script, so no package gets to run one. Nothing reads the source maps of
# packages, which are a quarter of their size.
RUN npm ci --omit=dev --ignore-scripts --workspace apps/api --workspace apps/worker \
 && find node_modules -name '*.map' -delete

# What a browser loads at /console. Nothing of this stage but the built files is in the image.
FROM ${NODE_IMAGE} AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages packages
COPY apps/api apps/api
COPY apps/console apps/console
COPY scripts/write-client-interface.ts scripts/
RUN npm ci --ignore-scripts --workspace packages/client --workspace apps/api --workspace apps/console \
 && node scripts/write-client-interface.ts && node node_modules/vite/bin/vite.js build apps/console

FROM ${NODE_IMAGE} AS app
WORKDIR /app
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/compile-cache
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY packages/shared packages/shared
COPY packages/embedded packages/embedded
COPY packages/cluster packages/cluster
COPY apps/api apps/api
COPY apps/worker apps/worker
COPY docs/runbooks docs/runbooks
COPY --from=console /app/apps/console/dist apps/console/dist

# What Node has compiled: with it, a process starts in half the time. Each process runs for a moment, without its stores.
# Node keeps the entries of each user apart, so it is the user of the image who runs them.
FROM app AS compiled
RUN mkdir compile-cache data && chown 1000:1000 compile-cache data
USER 1000:1000
RUN export PORT=0 OPS_PORT=0; \
    DATA_DIR=data timeout 10 node apps/api/src/main.ts >/dev/null & \
    export MONGODB_URL=mongodb://127.0.0.1:1/ REDIS_URL=redis://127.0.0.1:1/; \
    for main in api/src/main worker/src/main worker/src/migrate; do timeout 10 node apps/$main.ts & done; \
    wait; test -n "$(ls compile-cache)" && chmod -R a+rX compile-cache

FROM app
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="widget-service" \
      org.opencontainers.image.description="Widgets over HTTP, hooks in, server-sent events out" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# It belongs to root: a process must not change what the next one runs.
COPY --from=compiled --chown=0:0 /app/compile-cache compile-cache
# The user `node` of the base, as a number: with `runAsNonRoot`, Kubernetes refuses a name.
USER 1000:1000
EXPOSE 8080 8081 8082
# For Docker; Kubernetes has its own probes. The default port is 8081 in an api pod and 8082 in a worker. The shell asks:
# a process of Node every 10 s would take seconds on a busy machine.
HEALTHCHECK --interval=10s --timeout=5s --start-period=40s \
  CMD ["bash", "-c", "ask() { printf 'GET /livez HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [[ $status == 200 ]]; }; for port in ${OPS_PORT:-8081 8082}; do ask 3<>/dev/tcp/localhost/$port && exit; done 2>/dev/null; exit 1"]
# Node is process 1. It needs no init: every process handles SIGTERM and SIGINT, and starts no child processes.
CMD ["node", "--max-semi-space-size=16", "apps/api/src/main.ts"]
