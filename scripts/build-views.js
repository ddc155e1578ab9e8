// Builds the views of the packs into packages/packs/dist/views: one HTML file each, which loads nothing.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const from = fileURLToPath(new URL('../packages/packs/src/views/', import.meta.url))
const to = fileURLToPath(new URL('../packages/packs/dist/views/', import.meta.url))
const MOST_BYTES = 150_000

// A view that has something to hide from its host, or the other way round, has no way out.
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

async function bundled(entry) {
  const [{ output }] = await build({
    root: from,
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['source', 'module', 'browser', 'production'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      cssCodeSplit: false,
      lib: { entry, formats: ['iife'], name: 'view', fileName: 'view', cssFileName: 'view' },
    },
  })
  const text = type =>
    output.flatMap(one => (one.fileName.endsWith(type) ? [String(one.code ?? one.source)] : [])).join('')
  return { script: text('.js'), style: text('.css') }
}

// What ends a script or begins a comment must not stand in one.
const inScript = code => code.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`<\!--`)

const pageOf = (name, { script, style }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>${style}</style>
</head>
<body>
<main id="view"></main>
<script>${inScript(script)}</script>
</body>
</html>
`

rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
for (const name of readdirSync(from).flatMap(file => /^(.+)\.tsx$/.exec(file)?.[1] ?? [])) {
  const page = pageOf(name, await bundled(`${from}${name}.tsx`))
  const bytes = Buffer.byteLength(page)
  if (bytes > MOST_BYTES) throw new Error(`The view ${name} takes ${bytes} bytes, more than ${MOST_BYTES}`)
  writeFileSync(`${to}${name}.html`, page)
}
