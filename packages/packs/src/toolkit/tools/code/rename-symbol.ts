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
import type { Picked } from './pick.ts'
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
        'Refused as a whole if a place is ambiguous or the name is taken.',
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
      const taken = await takenAlready(bench, { facts, plan, name: new_name }, ctx)
      const objections = [...plan.objections, ...componentsWith(found), ...(taken ? [taken] : [])]
      refuse(objections, `${qualified(picked.extent.definition)} to ${new_name}`)
      const changes = await changesOf(bench, plan, { from: picked.extent.definition.name, to: new_name })
      const diff = await writeTogether(bench, changes, { tool: 'rename_symbol', dryRun: dry_run }, ctx)
      const summary = summaryOf(plan, { from: qualified(picked.extent.definition), to: new_name, dryRun: dry_run })
      const files = [...plan.changes].map(([file, places]) => ({ path: file, lines: places.map(place => place.line) }))
      return {
        content: [text([...summary, ...componentsNote(found), ...notReadNote(found), diff].join('\n'))],
        structuredContent: { files, written: !dry_run, left: plan.left },
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
  { facts, plan, name }: { readonly facts: Facts; readonly plan: Plan; readonly name: string },
  ctx: Context,
): Promise<Objection | undefined> {
  const { root } = bench.jail.below(await bench.jail.resolve(facts.target.file))
  const { files } = await measure(bench, { project_path: root, ask: { find: name } }, ctx)
  const family = familyOf(facts.language)
  const places = files
    .filter(({ file }) => family.includes(languageOf(file) ?? facts.language))
    .flatMap(({ file, findings }): Placed[] => (findings?.occurrences?.places ?? []).map(place => ({ file, place })))
  return takenBy(facts, new Set(plan.changes.keys()), places)
}

function refuse(objections: readonly Objection[], what: string): void {
  if (objections.length === 0) return
  const rows = objections
    .slice(0, MOST_NAMED)
    .map(({ file, line, text: code, why }) => `${file}:${line}: ${why}: ${code}`)
  const more = objections.length > MOST_NAMED ? [`and ${objections.length - MOST_NAMED} more`] : []
  throw fault(
    'tool-failed',
    [`Nothing was written: renaming ${what} is not safe at ${objections.length} of its places.`, ...rows, ...more].join(
      '\n',
    ) + '\nRename these by edit_file or replace_in_files.',
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

function summaryOf(plan: Plan, { from, to, dryRun }: { from: string; to: string; dryRun: boolean }): string[] {
  const places = [...plan.changes.values()].reduce((sum, list) => sum + list.length, 0)
  const { comments, strings } = plan.left
  const how = dryRun ? 'Would rename' : 'Renamed'
  const left = comments + strings === 0 ? [] : [`Left as they are: ${comments} in comments, ${strings} in strings.`]
  return [`${how} ${from} to ${to}: ${places} places in ${plan.changes.size} files.`, ...left]
}
