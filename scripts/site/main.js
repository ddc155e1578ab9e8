// Builds the documentation as a site of static pages: node scripts/site/main.js [--out FOLDER], after npm run build.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { layout } from './layout.js'
import { brokenLinks } from './links.js'
import { llmsText, llmsFullText } from './llms.js'
import { readPages } from './pages.js'
import { referencePages } from './reference.js'
import { renderPage } from './render.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'site') } } })
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { repository } = JSON.parse(readFileSync(join(root, 'packages/engine/package.json'), 'utf8'))
const source = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`

const folder = join(values.out, version)
const write = (path, text) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

rmSync(folder, { recursive: true, force: true })
const pages = [...readPages(root), ...referencePages(root)]
const known = new Map(pages.map(page => [page.file, page]))
const rendered = pages.map(page => renderPage(page, { known, source, root }))
const broken = brokenLinks(rendered)
if (broken.length > 0) {
  console.error(`These links lead nowhere:\n${broken.join('\n')}`)
  process.exit(1)
}
for (const page of rendered) write(page.path, layout(page, { pages: rendered, version }))
const index = rendered.flatMap(({ title, path, sections }) =>
  sections.map(({ heading, id, text }) => [title, heading, id === '' ? path : `${path}#${id}`, text]),
)
write('search-index.js', `window.searchIndex = ${JSON.stringify(index)}\n`)
for (const file of ['site.css', 'site.js']) cpSync(join(root, 'scripts/site', file), join(folder, file))
cpSync(join(root, 'docs/images'), join(folder, 'docs/images'), { recursive: true })
write('llms.txt', llmsText(pages, version))
write('llms-full.txt', llmsFullText(pages))

// Versions that were built before stay where they are.
const isVersion = name => /^\d+\.\d+\.\d+/.test(name) && existsSync(join(values.out, name, 'index.html'))
const versions = readdirSync(values.out).filter(isVersion).toSorted(newestFirst)
writeFileSync(join(values.out, 'versions.js'), `window.siteVersions = ${JSON.stringify(versions)}\n`)
writeFileSync(
  join(values.out, 'index.html'),
  `<!doctype html><meta charset="utf-8"><title>Causeway</title><meta http-equiv="refresh" content="0; url=${versions[0]}/index.html">`,
)
for (const file of ['llms.txt', 'llms-full.txt']) cpSync(join(folder, file), join(values.out, file))
console.log(`${rendered.length} pages of version ${version} in ${values.out}`)

function newestFirst(one, other) {
  return other.localeCompare(one, 'en', { numeric: true })
}
