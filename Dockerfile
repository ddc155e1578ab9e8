# The command as a container, for clients with a token (see docs/deploy.md):
#   docker build -t causeway .
#   docker run -p 127.0.0.1:5000:5000 -v "$PWD/tokens:/run/tokens:ro" -v "$PWD:/work" causeway serve --http --token-file /run/tokens
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc rolldown.config.js tsconfig.json ./
COPY packages packages
COPY scripts scripts
RUN npm ci && mkdir ../tarballs && npm pack --workspaces --ignore-scripts --pack-destination ../tarballs

# What was packed is what is installed, as from a registry.
FROM node:24-slim AS app
WORKDIR /app
COPY --from=build /tarballs tarballs
RUN npm install --omit=dev --no-audit --no-fund ./tarballs/*.tgz && rm -rf tarballs

FROM node:24-slim
# git is for the git tools: without the program they are not offered.
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production CAUSEWAY_HOST=0.0.0.0 CAUSEWAY_PORT=5000 CAUSEWAY_DATA=/data CAUSEWAY_ROOT=/work
WORKDIR /app
COPY --from=app /app ./
RUN mkdir /data /work && chown node:node /data /work
USER node
WORKDIR /work
EXPOSE 5000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CAUSEWAY_PORT}/health/ready`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/node_modules/causeway-mcp/bin/causeway.js"]
CMD ["serve", "--http"]
