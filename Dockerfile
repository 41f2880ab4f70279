# One image for both processes. The command selects the process; the default is the api.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/shared/package.json packages/shared/
COPY packages/embedded/package.json packages/embedded/
COPY packages/cluster/package.json packages/cluster/
COPY apps/api/package.json apps/api/
COPY apps/worker/package.json apps/worker/
COPY test/package.json test/
RUN npm ci --omit=dev --workspace apps/api --workspace apps/worker

FROM node:24.21.0-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY packages packages
COPY apps apps
USER node
EXPOSE 8080 8081 8082
CMD ["node", "--max-semi-space-size=16", "apps/api/src/main.ts"]
