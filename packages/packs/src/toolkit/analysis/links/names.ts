import type { Language } from '../parse/grammar.ts'
import { isCallable, isMinor } from '../symbols/definition.ts'
import type { Definition } from '../symbols/definition.ts'
import type { Links } from './links.ts'
import { captured } from './reading.ts'
import type { Reading } from './reading.ts'

// A word that begins with a capital. Behind a dot it is a member, before a bracket a method, if nothing makes an object.
const TYPE_NAME = /(?<![\w.$>@]|->|::)(?:@|(new\s+|\[\s*)(?:[\w.]+\.)?)?(\p{Lu}\w*)\b(?!\s*:(?!:))(\s*\()?/gu
const MOST = 5000

/** Words of the code that may name types. */
export function namesOf({ code, lines }: Pick<Reading, 'code' | 'lines'>): [string, number][] {
  const names = new Map<string, number>()
  for (const { 0: text, 1: maker, 2: name = '', 3: call, index } of code.matchAll(TYPE_NAME)) {
    if (call !== undefined && maker === undefined && !text.startsWith('@')) continue
    if (!names.has(name)) names.set(name, lines.at(index))
    if (names.size >= MOST) break
  }
  return [...names]
}

/** The types that a file defines, and the namespaces they are in. */
export function typesDefined(
  definitions: readonly Definition[],
  reading: Reading,
  language: Language,
): Pick<Links, 'defines' | 'namespaces'> {
  const [first] = captured(reading.matches, 'package')
  const own = first
    ? reading.code.slice(first.startIndex, first.endIndex).replace(/^\s*package\s+|\s*;\s*$/g, '')
    : wholeFile(definitions, reading)
  const namespaces = new Set([
    own,
    ...definitions.filter(isNamespace).map(one => joined(one.container, dotted(one.name))),
  ])
  const before = language === 'java' || own !== '' ? own : ''
  const defines = definitions
    .filter(({ kind }) => !isCallable(kind) && !isMinor(kind) && kind !== 'namespace')
    .filter(({ container }) => !isInFunction(definitions, container))
    .map(({ name, container }) => {
      const path = joined(container === undefined ? undefined : dotted(container), name)
      return before === '' || path.startsWith(`${before}.`) ? path : `${before}.${path}`
    })
  return { defines: [...new Set(defines)], namespaces: [...namespaces] }
}

const isNamespace = ({ kind }: Definition): boolean => kind === 'namespace'
const dotted = (name: string): string => name.replace(/^\\|\\$/g, '').replaceAll('\\', '.')
const joined = (container: string | undefined, name: string): string =>
  container === undefined ? name : `${container}.${name}`

/** `namespace A.B;` holds for all that follows, and has no body. */
function wholeFile(definitions: readonly Definition[], { source }: Reading): string {
  const only = definitions.find(isNamespace)
  if (!only || only.depth > 0) return ''
  return /^namespace\b[^{]*;/.test(source.slice(only.from, only.from + 1000)) ? dotted(only.name) : ''
}

const isInFunction = (definitions: readonly Definition[], container: string | undefined): boolean =>
  container !== undefined &&
  definitions.some(({ kind, name }) => isCallable(kind) && (container === name || container.endsWith(`.${name}`)))
