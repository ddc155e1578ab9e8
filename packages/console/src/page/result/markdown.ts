/** A piece of a line: plain, or marked. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'em'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

/** A piece of a text. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly inline: readonly Inline[] }
  | { readonly kind: 'paragraph' | 'quote'; readonly inline: readonly Inline[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'rule' }

const LIST_ITEM = /^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+(.*)$/
const TABLE_RULE = /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$/
const MOST_LINES = 20_000
const MOST_SNIFFED = 20_000

const isTableRule = (line: string): boolean => line.length < 1000 && TABLE_RULE.test(line)

// Each may stand in a script as well; two of them hardly do.
const SIGNS = [
  /^#{1,6} \S/m,
  /^(?:```|~~~)/m,
  /^[ \t]*\|.+\|[ \t]*\n[ \t]*\|[ \t:|-]+\|/m,
  /\*\*[^*\n]{1,400}\*\*/,
  /^ {0,6}[-*] \S/m,
  /\[[^\]\n]{1,400}\]\(\S{1,400}\)/,
]

/** Does a text look as if it were written in Markdown? */
export const looksLikeMarkdown = (text: string): boolean =>
  SIGNS.filter(sign => sign.test(text.slice(0, MOST_SNIFFED))).length >= 2

/** The common part of Markdown as data; whatever is not understood stays text. Nothing of it is ever HTML. */
export function parseMarkdown(text: string): readonly Block[] {
  const lines = text.split(/\r?\n/).slice(0, MOST_LINES)
  const blocks: Block[] = []
  for (let at = 0; at < lines.length;) {
    const [block, next] = blockAt(lines, at)
    if (block) blocks.push(block)
    at = next
  }
  return blocks
}

function blockAt(lines: readonly string[], at: number): [Block | undefined, number] {
  const line = lines[at] ?? ''
  if (line.trim() === '') return [undefined, at + 1]
  if (/^\s*(?:```|~~~)/.test(line)) return fence(lines, at)
  const heading = /^(#{1,6})[ \t]+(.*)$/.exec(line)
  if (heading)
    return [
      { kind: 'heading', level: heading[1]?.length ?? 1, inline: inline((heading[2] ?? '').replace(/ #+$/, '')) },
      at + 1,
    ]
  if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) return [{ kind: 'rule' }, at + 1]
  return longBlockAt(lines, at, line)
}

function longBlockAt(lines: readonly string[], at: number, line: string): [Block, number] {
  if (line.includes('|') && isTableRule(lines[at + 1] ?? '')) return table(lines, at)
  if (LIST_ITEM.test(line)) return list(lines, at)
  if (line.startsWith('>')) return run(lines, at, 'quote', one => one.startsWith('>'))
  return run(lines, at, 'paragraph', one => one.trim() !== '' && !startsBlock(one))
}

const startsBlock = (line: string): boolean => /^(?:#{1,6}\s|\s*```|\s*~~~|>)/.test(line) || LIST_ITEM.test(line)

function fence(lines: readonly string[], at: number): [Block, number] {
  const mark = /^\s*(`{3,}|~{3,})/.exec(lines[at] ?? '')?.[1] ?? '```'
  const rest = lines.slice(at + 1)
  const end = rest.findIndex(line => line.trim().startsWith(mark))
  const length = end < 0 ? rest.length : end
  return [{ kind: 'code', text: rest.slice(0, length).join('\n') }, at + length + 2]
}

function run(
  lines: readonly string[],
  at: number,
  kind: 'quote' | 'paragraph',
  belongs: (line: string) => boolean,
): [Block, number] {
  let end = at + 1
  while (end < lines.length && belongs(lines[end] ?? '')) end += 1
  const text = lines.slice(at, end).map(line => (kind === 'quote' ? line.replace(/^>\s?/, '') : line))
  return [{ kind, inline: inline(text.join('\n')) }, end]
}

function list(lines: readonly string[], at: number): [Block, number] {
  const items: string[] = []
  let end = at
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? ''
    const item = LIST_ITEM.exec(line)?.[1]
    if (item !== undefined) items.push(item)
    else if (/^\s{2,}\S/.test(line) && items.length > 0) items[items.length - 1] += `\n${line.trim()}`
    else break
  }
  return [{ kind: 'list', ordered: /^\s*\d/.test(lines[at] ?? ''), items: items.map(inline) }, end]
}

const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map(cell => cell.trim())

function table(lines: readonly string[], at: number): [Block, number] {
  let end = at + 2
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1
  return [{ kind: 'table', head: cells(lines[at] ?? ''), rows: lines.slice(at + 2, end).map(cells) }, end]
}

// Every run has an end, so that a text of opening marks takes no longer than any other.
const MARK =
  /`([^`\n]{1,400})`|\*\*([^*\n]{1,400})\*\*|(?<![\w*])[*_]([^*_\n]{1,400})[*_](?![\w*])|\[([^\]\n]{1,400})\]\(([^)\s]{1,2000})\)/g

/** The marks within a line. */
export function inline(text: string): readonly Inline[] {
  const found: Inline[] = []
  let from = 0
  for (const match of text.matchAll(MARK)) {
    if (match.index > from) found.push({ kind: 'text', text: text.slice(from, match.index) })
    found.push(marked(match))
    from = match.index + match[0].length
  }
  if (from < text.length) found.push({ kind: 'text', text: text.slice(from) })
  return found
}

function marked([whole, code, strong, em, label, target]: RegExpMatchArray): Inline {
  if (code !== undefined) return { kind: 'code', text: code }
  if (strong !== undefined) return { kind: 'strong', text: strong }
  if (em !== undefined) return { kind: 'em', text: em }
  const href = safeLink(target ?? '')
  return href === undefined ? { kind: 'text', text: whole } : { kind: 'link', text: label ?? '', href }
}

/** Only what leads to another page: a link can also be a script. */
export function safeLink(target: string): string | undefined {
  try {
    const { protocol, href } = new URL(target)
    return protocol === 'http:' || protocol === 'https:' || protocol === 'mailto:' ? href : undefined
  } catch {
    return undefined
  }
}
