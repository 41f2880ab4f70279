# One image for all processes. The command selects the process; the default is the api.
#
# The base is named by its tag, so that it can be read. For a build that can be repeated, pin its digest:
#   docker buildx imagetools inspect node:24.21.0-bookworm-slim     # prints sha256:…
#   docker build --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:… .
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/shared/package.json packages/shared/
COPY packages/embedded/package.json packages/embedded/
COPY packages/cluster/package.json packages/cluster/
COPY apps/api/package.json apps/api/
COPY apps/worker/package.json apps/worker/
# The workspace `test` is not copied, so nothing that it needs is installed.
RUN npm ci --omit=dev --workspace apps/api --workspace apps/worker

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="widget-service" \
      org.opencontainers.image.description="Widgets over HTTP, hooks in, server-sent events out" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
ENV NODE_ENV=production
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY packages packages
COPY apps apps
USER node
EXPOSE 8080 8081 8082
# For Docker; Kubernetes has its own probes. The default port is 8081 in an api pod and 8082 in a worker.
HEALTHCHECK --interval=10s --timeout=5s --start-period=40s \
  CMD ["node", "-e", "const { OPS_PORT } = process.env; Promise.any((OPS_PORT ? [OPS_PORT] : [8081, 8082]).map(async (port) => { if (!(await fetch(`http://127.0.0.1:${port}/livez`)).ok) throw new Error(); })).then(() => process.exit(0), () => process.exit(1))"]
# Node is process 1. It needs no init: every process handles SIGTERM and SIGINT, and starts no child processes.
CMD ["node", "--max-semi-space-size=16", "apps/api/src/main.ts"]
