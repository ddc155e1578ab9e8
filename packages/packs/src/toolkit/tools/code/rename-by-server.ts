import { fault } from '@causeway/engine'
import type { Context } from '@causeway/engine'
import type { Change } from '../../../support/edits/write-together.ts'
import { shown as shownPath } from '../../../support/files/shown.ts'
import { quote } from '../../../support/quote.ts'
import { languageOf } from '../../analysis/parse/grammar.ts'
import { BadAnswer, editsIn } from '../../servers/answers.ts'
import type { TextEdit } from '../../servers/answers.ts'
import type { Document } from '../../servers/documents.ts'
import type { Desk, Served } from '../../servers/language-servers.ts'
import { ServerFailure } from '../../servers/session.ts'
import type { Measured } from '../analysis.ts'
import type { Picked } from './pick.ts'
import type { WritingBench } from './replace-symbol.ts'

/** A rename as a server proposes it: every change judged, nothing written yet. */
export interface Proposed {
  readonly changes: readonly Change[]
  /** The lines that change, by the shown path of the file. */
  readonly lines: ReadonlyMap<string, readonly number[]>
  readonly places: number
}

/** What is renamed, and all places of its name. */
export interface Renaming {
  readonly picked: Picked
  readonly to: string
  readonly found: Measured
  /** Mentions to change besides: in comments, in strings. */
  readonly also: readonly string[]
}

const MOST_FILES = 300

/** Let a language server work out a rename; undefined if there is none for the language. */
export async function proposeRename(
  bench: WritingBench,
  renaming: Renaming,
  ctx: Context,
): Promise<Served<Proposed> | undefined> {
  const { servers, jail } = bench
  const { file } = renaming.picked
  const kind = servers?.kindOf(languageOf(file))
  if (!servers || !kind) return undefined
  const path = await jail.resolve(file)
  const { root } = jail.below(path)
  return servers.use(kind, root, ctx, desk => proposed(bench, desk, { ...renaming, path }))
}

async function proposed(bench: WritingBench, desk: Desk, renaming: Renaming & { path: string }): Promise<Proposed> {
  const { picked, to, path, found } = renaming
  const { name, at } = picked.extent.definition
  const named = found.files.filter(file => (file.findings?.occurrences?.places ?? []).length > 0)
  const real = await Promise.all(named.map(({ file }) => bench.jail.resolve(file)))
  const shown = await desk.documents.show(new Set([path, ...real.slice(0, MOST_FILES)]))
  if (desk.kind.name === 'clangd') await desk.settled(shown)
  const document = shown.find(one => one.path === path)
  if (document?.positions.text.startsWith(name, at) !== true) throw new BadAnswer('the file changed meanwhile')
  const position = document.positions.positionAt(at)
  const answer = await desk
    .ask('textDocument/rename', { textDocument: { uri: document.uri }, position, newName: to })
    .catch((error: unknown) => {
      if (!(error instanceof ServerFailure) || !error.answered) throw error
      throw fault('tool-failed', `Nothing was written: ${desk.session.title} refuses: ${error.message}`)
    })
  const edits = editsIn(answer)
  if (edits.length === 0) throw new BadAnswer(`${desk.session.title} proposed no edits`)
  return judged(bench, desk, { ...renaming, edits })
}

type Judging = Renaming & { readonly edits: readonly TextEdit[] }

/** Every edit is looked at: where it is, and whether it changes that name and nothing else. */
async function judged(bench: WritingBench, desk: Desk, judging: Judging): Promise<Proposed> {
  const { edits, found, also } = judging
  const byPath = new Map<string, TextEdit[]>()
  for (const edit of edits) {
    const path = await bench.jail.resolve(edit.path).catch(() => {
      throw refused(`${desk.session.title} proposed to change a file outside of the roots`)
    })
    byPath.set(path, [...(byPath.get(path) ?? []), edit])
  }
  const documents = await desk.documents.show(byPath.keys())
  const changes: Change[] = []
  const lines = new Map<string, number[]>()
  let places = 0
  for (const [path, list] of byPath) {
    const document = documents.find(one => one.path === path)
    const file = shownPath(bench.jail, path)
    if (!document) throw refused(`${quote(file)} is too large, or no source file that can be read`)
    const here = { ...judging, edits: list, file }
    const made = applied(document, [...spansOf(document, here), ...mentions(file, found, also)], here)
    changes.push({ path, before: document.positions.text, after: made.text })
    lines.set(file, made.lines)
    places += made.places
  }
  return { changes, lines, places }
}

interface Span {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The edits of one file, by the name that answers show. */
type InFile = Judging & { readonly file: string }

function spansOf({ positions }: Document, { picked, to, edits, file }: InFile): Span[] {
  return edits.map(({ range, newText }) => {
    const [start, end] = [positions.offsetAt(range.start), positions.offsetAt(range.end)]
    const line = range.start.line + 1
    if (start === undefined || end === undefined || end < start)
      throw refused(`an edit lies beyond line ${line} of ${quote(file)}`)
    const old = positions.text.slice(start, end)
    if (!isRename(old, newText, { from: picked.extent.definition.name, to }))
      throw refused(`the edit at ${quote(file)}:${line} changes ${quote(old)} to ${quote(newText)}, which is no rename`)
    return { from: start, to: end, text: newText }
  })
}

/** `name` becomes the new name, perhaps with the old one beside it: `old: new`, `new as old`. */
function isRename(old: string, made: string, { from, to }: { from: string; to: string }): boolean {
  if (old.length > 1000 || !old.includes(from)) return false
  if (old.replaceAll(from, to) === made) return true
  const both = [`${from}: ${to}`, `${to}: ${from}`, `${from} as ${to}`, `${to} as ${from}`, `${from}=${to}`]
  return old === from && both.includes(made)
}

/** Comments and strings, which servers leave alone. */
function mentions(file: string, found: Measured, also: readonly string[]): Span[] {
  if (also.length === 0) return []
  const places = found.files.find(one => one.file === file)?.findings?.occurrences?.places ?? []
  return places.flatMap(({ role, at }) => (also.includes(`${role}s`) ? [{ from: at, to: at, text: '' }] : []))
}

function applied(
  document: Document,
  spans: readonly Span[],
  { picked, to, file }: InFile,
): { readonly text: string; readonly lines: number[]; readonly places: number } {
  const { name } = picked.extent.definition
  const { text } = document.positions
  // A mention is known by its beginning.
  const whole = spans.map(one => (one.text === '' ? { from: one.from, to: one.from + name.length, text: to } : one))
  const sorted = [...new Map(whole.map(one => [`${one.from}:${one.to}:${one.text}`, one])).values()].sort(
    (a, b) => a.from - b.from,
  )
  const parts: string[] = []
  let at = 0
  for (const span of sorted) {
    if (span.from < at) throw refused(`two edits of ${quote(file)} overlap`)
    parts.push(text.slice(at, span.from), span.text)
    at = span.to
  }
  const lines = [...new Set(sorted.map(({ from }) => document.positions.positionAt(from).line + 1))]
  return { text: [...parts, text.slice(at)].join(''), lines, places: sorted.length }
}

const refused = (why: string): Error => fault('tool-failed', `Nothing was written: ${why}.`)
