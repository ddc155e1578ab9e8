import { readBoundedSync } from '../../support/files/file.ts'
import { walk } from '../../support/files/walk.ts'
import type { Met } from '../../support/files/walk.ts'
import { SKIPPED } from '../analysis/files.ts'

/** Names to look for in the templates below a directory; data that crosses threads. */
export interface Mentions {
  readonly root: string
  readonly below: string
  readonly names: readonly string[]
}

const TEMPLATE =
  /\.(?:html?|astro|mdx|ejs|hbs|handlebars|mustache|pug|jade|njk|liquid|jinja2?|j2|tmpl|erb|haml|slim|twig|blade\.php|phtml|cshtml|razor|xaml|aspx|jsp|ftl|vm|qml|ui)$/i
const LARGEST = 1024 * 1024
const MOST_BYTES = 256 * 1024 * 1024
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu

/** Which of some names stand in templates. */
export function mentionedIn({ root, below, names }: Mentions): string[] {
  const wanted = new Set(names)
  const found = new Set<string>()
  let left = MOST_BYTES
  const visit = ({ kind, name, directory }: Met): 'on' | 'over' | 'end' => {
    if (kind === 'directory') return SKIPPED.includes(name) ? 'over' : 'on'
    if (kind !== 'file' || !TEMPLATE.test(name)) return 'over'
    const text = readText(directory.at(name))
    left -= text.length
    for (const [word] of withoutComments(text).matchAll(WORD)) if (wanted.has(word)) found.add(word)
    return left > 0 && found.size < wanted.size ? 'over' : 'end'
  }
  walk([{ path: below }], { root, ignored: 'skip', visit })
  return [...found]
}

function readText(address: string): string {
  try {
    return readBoundedSync(address, LARGEST).toString()
  } catch {
    return ''
  }
}

function withoutComments(text: string): string {
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', from)) {
    parts.push(text.slice(from, at))
    const end = text.indexOf('-->', at)
    if (end < 0) return parts.join(' ')
    from = end + 3
  }
  return parts.join(' ') + text.slice(from)
}
