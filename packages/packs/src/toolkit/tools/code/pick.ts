import { fault } from '@causeway/engine'
import type { Context } from '@causeway/engine'
import { quote } from '../../../support/quote.ts'
import { qualified } from '../../analysis/symbols/definition.ts'
import type { Definition } from '../../analysis/symbols/definition.ts'
import type { Extent } from '../../analysis/uses/extents.ts'
import { notReadNote } from '../../formats/not-read.ts'
import { measure } from '../analysis.ts'
import type { Bench, Measured } from '../analysis.ts'
import { isNamed, qualifiedName } from '../symbol-name.ts'

/** A definition that was asked for, and the file it is in. */
export interface Picked {
  readonly file: string
  readonly source: string
  readonly extent: Extent
  readonly faulty: number | undefined
}

/** What says which definition is meant. */
export interface Which {
  readonly name: string
  readonly path: string
  readonly line?: number | undefined
  /** Several of one name in one type are one thing: overloads. */
  readonly overloads?: boolean
}

/** The arguments that say so. */
export const WHICH = {
  path: { type: 'string', minLength: 1, default: '.', description: 'The file it is in, or a directory to look in' },
  line: { type: 'integer', minimum: 1, description: 'A line of it, where several have the name' },
} as const

const MOST_NAMED = 10

/** All definitions that a name may mean. */
export async function pickAll(
  bench: Bench,
  { name, path, line }: Which,
  ctx: Context,
): Promise<{ readonly picked: Picked[]; readonly found: Measured }> {
  const asked = qualifiedName(name)
  const found = await measure(bench, { project_path: path, argument: 'path', ask: { read: asked.name } }, ctx)
  const picked = found.files.flatMap(({ file, findings }) => {
    const { source = '', extents = [], faulty } = findings?.extents ?? {}
    return extents
      .filter(({ definition }) => isNamed(definition, asked.container))
      .filter(extent => line === undefined || (extent.line <= line && line <= extent.end_line))
      .map(extent => ({ file, source, extent, faulty }))
  })
  return { picked: line === undefined ? withoutEchoes(picked) : picked, found }
}

/** Without constructors beside their class, and declarations beside what they declare. */
function withoutEchoes(picked: Picked[]): Picked[] {
  const isEcho = ({ extent: { definition } }: Picked): boolean =>
    /^(?:impl|prototype)$/.test(definition.kind) ||
    (definition.container?.split('.').at(-1) === definition.name &&
      /^(?:constructor|method|function)$/.test(definition.kind)) ||
    (definition.kind === 'method' && definition.signature !== undefined && isDeclaredOnly(definition, picked))
  const left = picked.filter(one => !isEcho(one))
  return left.length > 0 ? left : picked
}

/** `class Box { void fit(); }` beside `void Box::fit() {}`. */
const isDeclaredOnly = (definition: Definition, picked: readonly Picked[]): boolean =>
  picked.some(
    ({ extent: { definition: other } }) =>
      other !== definition &&
      other.kind === 'function' &&
      other.owner !== undefined &&
      (definition.container ?? '').endsWith(other.owner),
  )

/** The one definition that is meant; an error names all if there are several, and what is near if there is none. */
export async function pickOne(bench: Bench, which: Which, ctx: Context): Promise<Picked> {
  const { picked, found } = await pickAll(bench, which, ctx)
  const [first, ...others] = picked
  if (!first) throw await none(bench, which, ctx, found)
  const isOverload = ({ file, extent: { definition } }: Picked): boolean =>
    file === first.file && qualified(definition) === qualified(first.extent.definition)
  if (others.length > 0 && !(which.overloads && others.every(isOverload))) {
    const places = picked.slice(0, MOST_NAMED).map(placeOf).join(', ')
    throw fault(
      'tool-failed',
      `${quote(which.name)} is defined ${picked.length} times: ${places}. Say which one by 'path', 'line', or a name such as ${quote(qualified(first.extent.definition))}.`,
    )
  }
  return first
}

const placeOf = ({ file, extent: { definition } }: Picked): string =>
  `${file}:${definition.line} (${definition.kind} ${qualified(definition)})`

/** What there is, if not this. */
export async function none(bench: Bench, { name, path }: Which, ctx: Context, found: Measured): Promise<Error> {
  const last = qualifiedName(name).name
  const { files } = await measure(bench, { project_path: path, argument: 'path', ask: 'symbols' }, ctx)
  const wanted = last.toLowerCase()
  const near = new Set<string>()
  for (const { file, findings } of files) {
    for (const one of findings?.definitions ?? []) {
      const isNear = one.name.toLowerCase() === wanted || (wanted.length > 3 && one.name.toLowerCase().includes(wanted))
      if (isNear && one.kind !== 'import' && near.size < MOST_NAMED) near.add(`${qualified(one)} (${file}:${one.line})`)
    }
  }
  const hint = near.size === 0 ? '' : ` Near: ${[...near].join(', ')}.`
  const unread = notReadNote(found).map(note => ` ${note}`)
  return fault(
    'tool-failed',
    `Nothing called ${quote(name)} is defined in the ${found.files.length} files read below ${quote(path)}.${hint}${unread.join('')}`,
  )
}
