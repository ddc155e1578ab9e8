import { fault, text, tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { readAll, reading } from '../../../support/files/file.ts'
import { toText } from '../../../support/files/to-text.ts'
import { writeTogether } from '../../../support/edits/write-together.ts'
import type { Change } from '../../../support/edits/write-together.ts'
import { quote } from '../../../support/quote.ts'
import { qualified } from '../../analysis/symbols/definition.ts'
import { languageOf } from '../../analysis/parse/grammar.ts'
import { factsOf, familyOf } from '../../rename/facts.ts'
import type { Facts, Placed } from '../../rename/facts.ts'
import { planRename, renamed, takenBy } from '../../rename/plan.ts'
import type { Objection, Plan } from '../../rename/plan.ts'
import { whyInvalid } from '../../rename/words.ts'
import { notReadNote } from '../../formats/not-read.ts'
import { knownFiles } from '../../structure/resolve.ts'
import { measure } from '../analysis.ts'
import type { Measured } from '../analysis.ts'
import { readBeside } from '../manifest.ts'
import { SYMBOL_NAME } from '../symbol-name.ts'
import { WHICH, pickOne } from './pick.ts'
import { PARSER } from './narrow.ts'
import type { Picked } from './pick.ts'
import { proposeRename } from './rename-by-server.ts'
import type { Proposed, Renaming } from './rename-by-server.ts'
import type { WritingBench } from './replace-symbol.ts'

const MOST_NAMED = 10
const MOST_SCANS = 20
const MANIFESTS: Readonly<Record<string, string>> = { rust: 'Cargo.toml', go: 'go.mod' }

/** Renames a definition and every use of it. */
export const renameSymbol = (bench: WritingBench): Tool =>
  tool(
    {
      name: 'rename_symbol',
      task: 'optional',
      title: 'Rename Symbol',
      description:
        'Rename a function, type, member or variable everywhere in its root: all files or none, undone by one undo_edit. ' +
        'Refused as a whole if a place is ambiguous or the name is taken. Uses a language server where one is installed.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          name: SYMBOL_NAME,
          new_name: { type: 'string', minLength: 1, maxLength: 200, description: 'The new bare name' },
          ...WHICH,
          also: {
            type: 'array',
            items: { type: 'string', enum: ['comments', 'strings'] },
            default: [],
            description: 'Mentions to change that are no code',
          },
          dry_run: { type: 'boolean', default: false, description: 'Only show what would change' },
        },
        required: ['name', 'new_name'],
        additionalProperties: false,
      },
    },
    async ({ name, new_name, path, line, also, dry_run }, ctx) => {
      const picked = await pickOne(bench, { name, path, line, overloads: true }, ctx)
      checkName(picked, new_name)
      const { facts, found } = await factsAbout(bench, picked, ctx)
      const plan = planRename(facts, { comments: also.includes('comments'), strings: also.includes('strings') })
      const made = await workedOut(bench, plan, { picked, to: new_name, found, also }, ctx)
      const taken = await takenAlready(bench, { facts, changed: new Set(made.lines.keys()), name: new_name }, ctx)
      const from = qualified(picked.extent.definition)
      const objections = [...made.objections, ...componentsWith(found), ...(taken ? [taken] : [])]
      refuse(objections, { what: `${from} to ${new_name}`, ...made })
      const diff = await writeTogether(bench, made.changes, { tool: 'rename_symbol', dryRun: dry_run }, ctx)
      const summary = summaryOf(made, plan, { from, to: new_name, dryRun: dry_run })
      const files = [...made.lines].map(([file, lines]) => ({ path: file, lines }))
      return {
        content: [text([...summary, ...componentsNote(found), ...notReadNote(found), diff].join('\n'))],
        structuredContent: { files, written: !dry_run, left: plan.left, source: made.source },
      }
    },
  )

/** Scripts and templates of components use each other in ways that are not known here. */
function componentsNote({ files }: Measured): string[] {
  const named = files.filter(
    ({ file, findings }) => languageOf(file) === 'component' && (findings?.occurrences?.places ?? []).length > 0,
  )
  const some = named.slice(0, MOST_NAMED).map(({ file }) => file)
  return some.length === 0
    ? []
    : [`Not changed: ${named.length} components that mention the name, such as ${some.join(', ')}. Check them.`]
}

/** A component that imports the name uses it, in its template too. */
const componentsWith = ({ files }: Measured): Objection[] =>
  files.flatMap(({ file, findings }) =>
    languageOf(file) === 'component'
      ? (findings?.occurrences?.places ?? [])
          .filter(({ role }) => role === 'import')
          .map(({ line, text: code }) => ({ file, line, text: code, why: 'a component imports it' }))
      : [],
  )

function checkName({ file, extent: { definition } }: Picked, name: string): void {
  if (languageOf(file) === 'shell')
    throw fault('tool-failed', 'In a shell script any word may be a name, so nothing is renamed in one. Use edit_file.')
  if (languageOf(file) === 'component')
    throw fault('tool-failed', 'Templates are not parsed, so nothing is renamed in a component. Use edit_file.')
  const why = name === definition.name ? 'it is the name that it has' : whyInvalid(name, file)
  if (why !== undefined)
    throw fault('invalid-arguments', `Parameter 'new_name': ${quote(name)} cannot be the new name: ${why}.`)
  if (/constructor/.test(definition.kind) || /^(?:__\w+__|constructor|operator.*)$/.test(definition.name))
    throw fault('tool-failed', `${qualified(definition)} has its name from the language. Rename its class instead.`)
}

/** Look at every place of a name in the root of a definition. */
async function factsAbout(
  bench: WritingBench,
  { file, extent: { definition } }: Picked,
  ctx: Context,
): Promise<{ readonly facts: Facts; readonly found: Measured }> {
  const { root } = bench.jail.below(await bench.jail.resolve(file))
  const scan = (find: string): Promise<Measured> => measure(bench, { project_path: root, ask: { find } }, ctx)
  const found = await scan(definition.name)
  const language = languageOf(file) ?? ''
  const manifest = await readBeside(bench.jail, root, MANIFESTS[language] ?? 'package.json')
  const [, goModule] = /^module\s+(\S+)/m.exec(manifest) ?? []
  const known = knownFiles(
    found.files.map(one => one.file),
    goModule,
  )
  const target = { file, definition }
  const first = factsOf(target, found.files, { known, heritage: heritageIn([found]), manifest })
  if (!first.isMember || first.owner === undefined) return { facts: first, found }
  const scans = [found, ...(await relatedScans(scan, first.owner))]
  return { facts: { ...first, heritage: heritageIn(scans) }, found }
}

/** The types that are built on a type, and those on them, wherever they stand. */
async function relatedScans(scan: (name: string) => Promise<Measured>, owner: string): Promise<Measured[]> {
  const scans: Measured[] = []
  const waiting = [owner]
  const seen = new Set(waiting)
  while (waiting.length > 0 && scans.length < MOST_SCANS) {
    const name = waiting.shift() ?? ''
    const found = await scan(name)
    scans.push(found)
    for (const [type, above] of heritageIn([found])) {
      if (seen.has(type) || !new RegExp(String.raw`\b${name}\b`).test(above)) continue
      seen.add(type)
      waiting.push(type)
    }
  }
  return scans
}

function heritageIn(scans: readonly Measured[]): Map<string, string> {
  const all = new Map<string, string>()
  for (const { files } of scans) {
    for (const { findings } of files) {
      for (const [type, above] of Object.entries(findings?.occurrences?.heritage ?? {})) {
        if (all.get(type)?.includes(above) !== true) all.set(type, `${all.get(type) ?? ''} ${above}`)
      }
    }
  }
  return all
}

async function takenAlready(
  bench: WritingBench,
  { facts, changed, name }: { readonly facts: Facts; readonly changed: ReadonlySet<string>; readonly name: string },
  ctx: Context,
): Promise<Objection | undefined> {
  const { root } = bench.jail.below(await bench.jail.resolve(facts.target.file))
  const { files } = await measure(bench, { project_path: root, ask: { find: name } }, ctx)
  const family = familyOf(facts.language)
  const places = files
    .filter(({ file }) => family.includes(languageOf(file) ?? facts.language))
    .flatMap(({ file, findings }): Placed[] => (findings?.occurrences?.places ?? []).map(place => ({ file, place })))
  return takenBy(facts, changed, places)
}

interface WorkedOut extends Proposed {
  readonly source: string
  readonly objections: readonly Objection[]
  /** Why it was no server. */
  readonly note: string
}

/** What a rename would do, as a language server says, or else parsers. */
async function workedOut(bench: WritingBench, plan: Plan, renaming: Renaming, ctx: Context): Promise<WorkedOut> {
  const served = await proposeRename(bench, renaming, ctx)
  if (served && 'made' in served) return { ...served.made, source: served.source, objections: [], note: '' }
  return { ...(await byParser(bench, plan, renaming)), note: served?.why ?? '' }
}

async function byParser(bench: WritingBench, plan: Plan, { picked, to }: Renaming): Promise<Omit<WorkedOut, 'note'>> {
  const isSafe = plan.objections.length === 0
  const changes = isSafe ? await changesOf(bench, plan, { from: picked.extent.definition.name, to }) : []
  const lines = new Map([...plan.changes].map(([file, places]) => [file, places.map(place => place.line)]))
  const places = [...lines.values()].reduce((sum, list) => sum + list.length, 0)
  return { changes, lines, places, source: PARSER, objections: plan.objections }
}

function refuse(
  objections: readonly Objection[],
  { what, source, note }: Pick<WorkedOut, 'source' | 'note'> & { readonly what: string },
): void {
  if (objections.length === 0) return
  const rows = objections
    .slice(0, MOST_NAMED)
    .map(({ file, line, text: code, why }) => `${file}:${line}: ${why}: ${code}`)
  const more = objections.length > MOST_NAMED ? [`and ${objections.length - MOST_NAMED} more`] : []
  throw fault(
    'tool-failed',
    [`Nothing was written: renaming ${what} is not safe at ${objections.length} of its places.`, ...rows, ...more].join(
      '\n',
    ) +
      `\nRename these by edit_file or replace_in_files. Source: ${source}.${note === '' ? '' : ` ${note.replace(/\.?$/, '.')}`}`,
  )
}

async function changesOf(bench: WritingBench, plan: Plan, names: { from: string; to: string }): Promise<Change[]> {
  const changes: Change[] = []
  for (const [file, places] of plan.changes) {
    const path = await bench.jail.resolve(file)
    const bytes = await bench.jail.at({ path, link: true }, place =>
      reading(place, one => readAll(one, bench.edits.textBytes)),
    )
    const before = bytes && toText(bytes)?.replace(/^\uFEFF/, '')
    if (before === undefined) throw new Error(`${quote(file)} is too large, or no UTF-8 text. Nothing was written.`)
    const isSame = places.every(({ at }) => before.startsWith(names.from, at))
    if (!isSame) throw new Error(`${quote(file)} changed meanwhile, so nothing was written. Try again.`)
    changes.push({ path, before, after: renamed(before, places, names) })
  }
  return changes
}

function summaryOf(
  { lines, places, source, note }: WorkedOut,
  { left: { comments, strings } }: Plan,
  { from, to, dryRun }: { readonly from: string; readonly to: string; readonly dryRun: boolean },
): string[] {
  const how = dryRun ? 'Would rename' : 'Renamed'
  const left = comments + strings === 0 ? [] : [`Left as they are: ${comments} in comments, ${strings} in strings.`]
  const why = note === '' ? '' : ` ${note.replace(/\.?$/, '.')}`
  return [`${how} ${from} to ${to}: ${places} places in ${lines.size} files.`, ...left, `Source: ${source}.${why}`]
}
