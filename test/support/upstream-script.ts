import { fileURLToPath } from 'node:url'

/** Where the servers of `upstreams/` are bundled before the tests: on the official SDKs, a bundle starts three times as fast. */
export const BUNDLES: string = fileURLToPath(new URL('../../node_modules/.cache/causeway/upstreams/', import.meta.url))

/** The path of a server that tests are run against, by its name in `upstreams/`. */
export const upstreamScript = (name: string): string => `${BUNDLES}${name}.js`
