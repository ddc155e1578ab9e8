import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Pages that are no part of the table in docs/README.md. */
const OTHERS = ['README.md', 'docs/README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md']

/** Every Markdown page of the repository, in the order of docs/README.md, with the group it belongs to. */
export function readPages(root) {
  const below = folder => readdirSync(join(root, folder), { encoding: 'utf8' }).map(name => `${folder}/${name}`)
  const table = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const groups = new Map()
  let group = ''
  for (const line of table.split('\n')) {
    group = /^## (.+)$/.exec(line)?.[1] ?? group
    const [, link] = /^\| \[[^\]]*\]\(([^)]+)\)/.exec(line) ?? []
    if (link === undefined) continue
    const file = new URL(link, 'file:///docs/README.md').pathname.slice(1)
    for (const one of file.endsWith('.md') ? [file] : below(file)) groups.set(one, group)
  }
  const listed = [...groups].map(([file, name]) => pageOf(root, file, name))
  const rest = OTHERS.filter(file => !groups.has(file)).map(file => pageOf(root, file, 'Project'))
  return [...listed, ...rest]
}

function pageOf(root, file, group) {
  const markdown = readFileSync(join(root, file), 'utf8')
  const title = /^# (.+)$/m.exec(markdown)?.[1].replaceAll('`', '') ?? file
  return { file, group, title, markdown, path: file === 'README.md' ? 'index.html' : file.replace(/\.md$/, '.html') }
}
