import { posix } from 'node:path'
import type { Occurrence } from '../analysis/uses/occurrences.ts'
import type { Receiver } from '../analysis/uses/receiver.ts'
import { isMemberOf, moduleName } from './facts.ts'
import type { Facts, Placed } from './facts.ts'
import { importedFiles, isFromOutside, moduleOf } from './imports.ts'
import { decideMember } from './members.ts'
import { isSameVariable, isShadowed } from './scopes.ts'
import type { Verdict } from './verdict.ts'

const GLOBAL = new Set(['cpp', 'php', 'ruby'])
const BY_TYPE = new Set(['java', 'csharp'])
const ROOTS = new Set(['crate', 'self', 'super', ''])

/** Does the name mean the thing at this place? */
export function decide(facts: Facts, placed: Placed): Verdict {
  const { definition, role } = placed.place
  if (definition && definition.kind !== 'impl') return facts.same.has(definition) ? 'yes' : 'no'
  if (role === 'comment' || role === 'string') return 'no'
  if (role === 'local') return isSameVariable(facts, placed) ? 'yes' : 'no'
  if (facts.isMember) return decideMember(facts, placed)
  return role === 'key' ? 'no' : decideBare(facts, placed)
}

function decideBare(facts: Facts, placed: Placed): Verdict {
  const { file, place } = placed
  if (facts.holder) return inHolder(facts, placed)
  if (place.receiver) return throughReceiver(facts, file, place.receiver)
  if (isShadowed(facts, placed)) return 'no'
  if (place.role === 'import') return imported(facts, file, place)
  return file === facts.target.file ? inOwnFile(facts) : inOtherFile(facts, placed)
}

function inHolder(facts: Facts, placed: Placed): Verdict {
  const { target, holder } = facts
  const { file, place } = placed
  const isInside = file === target.file && holder !== undefined && holder.from <= place.at && place.at < holder.to
  return isInside && !place.receiver && !isShadowed(facts, placed) ? 'yes' : 'no'
}

function inOwnFile({ others, target, language }: Facts): Verdict {
  const rival = others.find(
    ({ file, definition }) =>
      file === target.file && !isMemberOf(definition, language) && definition.container !== undefined,
  )
  return rival &&
    target.definition.container !== rival.definition.container &&
    rival.definition.depth === target.definition.depth
    ? { unclear: `line ${rival.definition.line} of ${rival.file} defines another one` }
    : 'yes'
}

/** What an import of the name means. */
function imported(facts: Facts, file: string, { imported: written = '' }: Occurrence): Verdict {
  const { target, language, others } = facts
  if (file === target.file && language !== 'rust') return 'no'
  if (BY_TYPE.has(language) || GLOBAL.has(language))
    return others.length === 0 ? 'yes' : byPackage(facts, file, written)
  const asked = moduleOf(written, language)
  const files = importedFiles(facts, file, asked)
  if (files.includes(target.file) || files.some(one => passesOn(facts, one))) return 'yes'
  if (files.length > 0 || isFromOutside(facts, asked)) return 'no'
  return { unclear: `it is not known what '${asked.slice(0, 60)}' leads to` }
}

const byPackage = ({ target }: Facts, _file: string, written: string): Verdict => {
  const folder = posix.dirname(target.file).split('/').at(-1) ?? ''
  return written.includes(`${folder}.`) || written.includes(`${folder}\\`)
    ? 'yes'
    : { unclear: 'several files define one' }
}

/** Does a file import the thing only to export it again? */
function passesOn(facts: Facts, file: string, depth = 0): boolean {
  if (depth > 5 || file === facts.target.file) return file === facts.target.file
  const own = facts.places.filter(one => one.file === file && one.place.role === 'import')
  return own.some(({ place: { imported: written = '' } }) => {
    const module = moduleOf(written, facts.language)
    return importedFiles(facts, file, module).some(
      next => next === facts.target.file || passesOn(facts, next, depth + 1),
    )
  })
}

function throughReceiver(facts: Facts, file: string, receiver: Receiver): Verdict {
  const { target, owner } = facts
  const { name, origin, module, isNamed } = receiver
  if (file === target.file && name === 'exports') return 'yes'
  if (module !== undefined) return importedFiles(facts, file, module).includes(target.file) ? 'yes' : 'no'
  if (owner !== undefined && name === owner) return 'yes'
  if (isNamed) return 'no'
  return origin === undefined ? throughPath(facts, receiver) : throughModule(facts, file, origin)
}

function throughModule(facts: Facts, file: string, origin: string): Verdict {
  const files = importedFiles(facts, file, origin)
  if (files.includes(facts.target.file) || files.some(one => passesOn(facts, one))) return 'yes'
  if (files.length > 0 || isFromOutside(facts, origin)) return 'no'
  return { unclear: `it is not known what '${origin}' leads to` }
}

/** `module::name` and `module.name`, of a module that no import names. */
function throughPath({ target, language }: Facts, { name, separator }: Receiver): Verdict {
  const isModule = name === moduleName(target.file)
  if (separator === '::') return isModule || (ROOTS.has(name) && language !== 'php') ? 'yes' : 'no'
  const isClear = !isModule || (language !== 'python' && language !== 'go')
  return isClear ? 'no' : { unclear: `'${name}' may be the module that defines it` }
}

function inOtherFile(facts: Facts, placed: Placed): Verdict {
  const { target, language, others } = facts
  const { file } = placed
  const rivals = others.filter(({ definition }) => !isMemberOf(definition, language))
  if (rivals.some(rival => rival.file === file)) return 'no'
  if (language === 'go') return posix.dirname(file) === posix.dirname(target.file) ? 'yes' : 'no'
  if (GLOBAL.has(language) && language !== 'php' && isOfOneFile(facts)) return 'no'
  if (GLOBAL.has(language) || BY_TYPE.has(language)) {
    const rival = rivals[0]
    return rival ? { unclear: `${rival.file}:${rival.definition.line} defines one too` } : 'yes'
  }
  const known = facts.imports.get(file) ?? importsOf(facts, file)
  facts.imports.set(file, known)
  return known
}

function importsOf(facts: Facts, file: string): Verdict {
  const verdicts = facts.places
    .filter(one => one.file === file && one.place.role === 'import')
    .map(one => imported(facts, file, one.place))
  if (verdicts.includes('yes')) return 'yes'
  return verdicts.find(one => typeof one === 'object') ?? 'no'
}

/** `static` in C: other files have their own, unless it stands in a header. */
const isOfOneFile = ({ language, target }: Facts): boolean =>
  language === 'cpp' &&
  target.definition.kind === 'function' &&
  !target.definition.exported &&
  !/\.h(?:h|pp|xx)?$/i.test(target.file)
