// Builds the console's page into packages/console/dist/page, each file with compressed copies beside it.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = fileURLToPath(new URL('../packages/console/src/page/', import.meta.url))
const outDir = fileURLToPath(new URL('../packages/console/dist/page/', import.meta.url))

await build({
  root,
  base: './/',
  configFile: false,
  logLevel: 'warn',
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // The page lies at /, what it loads below /console, wherever a proxy has put both.
  experimental: {
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `./console/${name}` : { relative: true }),
  },
  build: {
    outDir,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    chunkSizeWarningLimit: 1000,
  },
})

for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(?:html|js|css|svg)$/.test(entry.name)) continue
  const path = join(entry.parentPath, entry.name)
  const content = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
  writeFileSync(`${path}.br`, brotliCompressSync(content, options))
}
