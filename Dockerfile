# syntax=docker/dockerfile:1
# The image of a server. OPERATIONS.md ("In production") says how to run it; compose.yaml runs two behind a proxy.

FROM node:24.11.1-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ormconfig.ts ./
COPY migrations migrations
COPY schema schema
COPY src src
# The console's scripts of earlier builds stay for open tabs: the build removes them after 30 days.
RUN --mount=type=cache,target=/former \
  mkdir --parents dist/console && cp --archive /former/. dist/console && npm run build && \
  rm -rf /former/* && cp --archive dist/console/. /former && npm prune --omit=dev

FROM node:24.11.1-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=build /app .
RUN install --directory --owner=node --group=node /data
USER node
VOLUME /data
EXPOSE 3000
# Not /ready: restarting a server does not bring its database back, and would undo a migration that waits for a lock.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD \
  ["node", "--eval", "const { HOST = '', PORT } = process.env; fetch('http://' + (HOST.includes(':') ? '[' + HOST + ']' : HOST || 'localhost') + ':' + (PORT || 3000) + '/health').then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["sh", "src/server/deploy/run.sh", "serve"]
