import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// What our own packages share, and lists that packages of clients follow.
const LEFT_OUT = ['./internal', './process', './client-programs']
const PACKAGES = ['engine', 'packs', 'gateway', 'console']

/** A page per entry point: what it exports, with the sentences and types of the sources. */
export function referencePages(root) {
  return PACKAGES.flatMap(name => {
    const folder = join(root, 'packages', name)
    const { exports, name: packageName } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return Object.entries(exports)
      .filter(([entry, { types } = {}]) => types !== undefined && !LEFT_OUT.includes(entry))
      .map(([entry, { types }]) => pageOf(packageName + entry.slice(1), join(folder, types)))
  })
}

function pageOf(specifier, file) {
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build`)
  const found = new Map()
  collect(file, undefined, found)
  const entries = [...found].toSorted(([one], [other]) => one.localeCompare(other, 'en'))
  const slug = specifier.replace('@', '').replaceAll('/', '-')
  const body = entries.map(([name, { comment, code }]) => `## \`${name}\`\n\n${comment}\n\n\`\`\`ts\n${code}\n\`\`\`\n`)
  return {
    file: `reference/${slug}.md`,
    path: `reference/${slug}.html`,
    group: 'API reference',
    title: specifier,
    markdown: `# ${specifier}\n\nGenerated from the types: ${entries.length} exports.\n\n${body.join('\n')}`,
  }
}

const BLOCK =
  /(?:^\/\*\*([\s\S]*?)\*\/\n)?^export (?:declare )?(?:abstract )?(?:(?:async )?function\*?|const|class|interface|type|enum) (\w+)[\s\S]*?(?=^(?:export|declare|\/\*\*|import|interface|type|const)\b|^\/\*\*|(?![\s\S]))/gm
const LISTED = /^export (?:type )?\{([^}]*)\} from '([^']+)';?$/gm

/** What a module exports; of names in a list, only those that are wanted. */
function collect(file, wanted, found) {
  const text = readFileSync(file, 'utf8').replaceAll(/^\/\/#.*$/gm, '')
  for (const [block, comment = '', name] of text.matchAll(BLOCK)) {
    const as = wanted ? wanted.get(name) : name
    if (as === undefined) continue
    const before = found.get(as)
    const code = block.replace(/^\/\*\*[\s\S]*?\*\/\n/, '').trim()
    // Overloads stand one below the other.
    found.set(as, { comment: before?.comment || sentences(comment), code: before ? `${before.code}\n${code}` : code })
  }
  for (const [, names, from] of text.matchAll(LISTED)) {
    const renamed = names
      .split(',')
      .map(part => part.trim().replace(/^type /, ''))
      .filter(part => part !== '')
      .map(part => part.split(/ as /))
    const inner = new Map(
      renamed.flatMap(([name, as = name]) => {
        if (!wanted) return [[name, as]]
        return wanted.has(as) ? [[name, wanted.get(as)]] : []
      }),
    )
    if (inner.size > 0 && from.startsWith('.')) collect(declarationsOf(file, from), inner, found)
  }
}

const declarationsOf = (file, from) => join(dirname(file), from.replace(/\.(?:js|ts)$/, '.d.ts'))

const sentences = comment =>
  comment
    .split('\n')
    .map(line => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim()
    .replaceAll('<', '&lt;')
