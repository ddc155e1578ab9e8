# The command as a container: docker build -t causeway . && docker run -p 5000:5000 causeway serve --http --allow-anonymous
FROM node:20-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc rolldown.config.js tsconfig.json ./
COPY packages packages
COPY scripts scripts
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:20-slim
ENV NODE_ENV=production CAUSEWAY_HOST=0.0.0.0 CAUSEWAY_PORT=5000 CAUSEWAY_DATA=/data CAUSEWAY_ROOT=/work
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/packages packages
RUN mkdir /data /work && chown node:node /data /work
USER node
WORKDIR /work
EXPOSE 5000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CAUSEWAY_PORT}/health/ready`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/packages/cli/bin/causeway.js"]
CMD ["serve", "--http"]
