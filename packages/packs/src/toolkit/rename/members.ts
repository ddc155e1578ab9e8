import { isBuiltOn, isMemberOf, ownerOf } from './facts.ts'
import type { Facts, Placed } from './facts.ts'
import { importedFiles, isFromOutside } from './imports.ts'
import { isShadowed } from './scopes.ts'
import type { Verdict } from './verdict.ts'
import { isBuiltIn } from './words.ts'

const OWN = new Set(['this', 'self', 'Self', 'cls', 'static'])
// A method may use its neighbours by their bare names.
const IMPLICIT = new Set(['java', 'csharp', 'cpp', 'ruby'])
const SCRIPT = new Set(['javascript', 'typescript', 'tsx'])

/** Does the name of a member mean this one, at this place? */
export function decideMember(facts: Facts, placed: Placed): Verdict {
  const { place } = placed
  if (place.role === 'import') return 'no'
  if (place.role === 'key') return ofKey(facts, place.shorthand === 'pattern')
  if (place.shorthand !== undefined) return ofShorthand(facts, place.shorthand)
  return place.receiver ? ofReceiver(facts, placed) : ofBareName(facts, placed)
}

const rivalsOf = ({ others, language }: Facts): Facts['others'] =>
  others.filter(({ definition }) => isMemberOf(definition, language))

function ofKey(facts: Facts, isPattern: boolean): Verdict {
  const { kind } = facts.target.definition
  if (SCRIPT.has(facts.language)) {
    return /method|constructor/.test(kind) && !isPattern
      ? 'no'
      : { unclear: 'an object with this key may be one of these' }
  }
  const [rival] = rivalsOf(facts)
  if (facts.language === 'python') return kind === 'field' ? { unclear: 'an argument of this name may set it' } : 'no'
  return rival ? { unclear: `${ownerOf(rival.definition) ?? rival.file} has one too` } : 'yes'
}

const ofShorthand = ({ target, language }: Facts, shorthand: string): Verdict => {
  if (language === 'rust') return { unclear: 'it is a field and a variable at once' }
  if (shorthand !== 'pattern' && /method/.test(target.definition.kind)) return 'no'
  return { unclear: 'an object is taken apart or made here, and its type is not known' }
}

function ofBareName(facts: Facts, placed: Placed): Verdict {
  const { language, owner } = facts
  const { within } = placed.place
  if (!IMPLICIT.has(language) || isShadowed(facts, placed)) return 'no'
  const type = within?.type
  if (type === undefined)
    return facts.target.definition.kind === 'enumerator' ? { unclear: 'it may be this one' } : 'no'
  return ofType(facts, type, placed.file) ?? (owner !== undefined && isBuiltOn(facts, type, owner) ? 'yes' : 'no')
}

function ofReceiver(facts: Facts, placed: Placed): Verdict {
  const { file, place } = placed
  const { name = '', isChain = false } = place.receiver ?? {}
  const type = typeAt(place)
  const byType = type === undefined ? undefined : ofType(facts, type, file)
  if (byType) return byType
  // A type that is none of these, and not built on one, has a member of its own.
  if (type !== undefined && !facts.heritage.has(type)) return 'no'
  return (isChain ? undefined : ofName(facts, name, file)) ?? ofUnknown(facts, placed, name)
}

function typeAt({ receiver, within }: Placed['place']): string | undefined {
  const isOwn = receiver !== undefined && OWN.has(receiver.name) && !receiver.isChain
  return isOwn ? within?.type : receiver?.type
}

/** What it means that it is called through the name of a type. */
function ofName(facts: Facts, name: string, file: string): Verdict | undefined {
  if (name === facts.owner) return ofTwins(facts, file)
  return rivalsOf(facts).some(({ definition }) => ownerOf(definition) === name) ? 'no' : undefined
}

/** It may be this one if no other can be meant. */
function ofUnknown(facts: Facts, { file, place }: Placed, name: string): Verdict {
  const { origin } = place.receiver ?? {}
  if (origin !== undefined && importedFiles(facts, file, origin).length === 0 && isFromOutside(facts, origin))
    return 'no'
  const rival = rivalIn(facts, OWN.has(name))
  return rival === undefined ? 'yes' : { unclear: `the type of '${name || '…'}' is not known, and ${rival} one too` }
}

/** What else has a member of the name. */
function rivalIn(facts: Facts, isOwn: boolean): string | undefined {
  const { language, target, places } = facts
  const [rival] = rivalsOf(facts)
  if (rival) {
    const { file, definition } = rival
    return `${ownerOf(definition) ?? file} (${file}:${definition.line}) has`
  }
  if (isOwn) return undefined
  const key = places.find(one => one.place.role === 'key' || one.place.shorthand !== undefined)
  if (key && SCRIPT.has(language)) return `an object (${key.file}:${key.place.line}) has`
  return isBuiltIn(target.definition.name) ? `types of ${language} have` : undefined
}

/** The type itself, unless another file has one of the same name. */
function ofTwins(facts: Facts, file: string): Verdict {
  const { owner, target } = facts
  const twins = rivalsOf(facts).filter(one => ownerOf(one.definition) === owner && one.file !== target.file)
  if (file === target.file || twins.length === 0) return 'yes'
  return twins.some(one => one.file === file) ? 'no' : { unclear: `${twins[0]?.file} has a ${owner} too` }
}

/** What it means that the type is known; undefined if that says nothing. */
function ofType(facts: Facts, type: string, file: string): Verdict | undefined {
  const { owner } = facts
  if (type === owner) return ofTwins(facts, file)
  if (rivalsOf(facts).some(({ definition }) => ownerOf(definition) === type)) return 'no'
  if (owner !== undefined && (isBuiltOn(facts, type, owner) || isBuiltOn(facts, owner, type))) return 'yes'
  return undefined
}

/** Members of related types that share the name: they are renamed together or not at all. */
export function relatives(facts: Facts): Facts['others'] {
  const { owner } = facts
  if (!facts.isMember || owner === undefined) return []
  return rivalsOf(facts).filter(({ definition }) => {
    const other = ownerOf(definition)
    return other !== undefined && (isBuiltOn(facts, other, owner) || isBuiltOn(facts, owner, other))
  })
}
