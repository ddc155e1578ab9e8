import type { Flat } from './flat.ts'
import { declaratorOf } from './names.ts'
import { ROLE } from './roles.ts'

const NO_PARAMETER = ['keyword_separator', 'positional_separator', 'attribute_item', 'decorator']

/** How many parameters a function declares. */
export function parametersOf(flat: Flat, node: number): number {
  const { parameter, parameters } = flat.roles.fields
  const holder = declaratorOf(flat, node) ?? node
  if (flat.inField(holder, parameter) !== undefined) return 1
  const list = flat.inField(holder, parameters)
  if (list === undefined) return 0
  if (flat.isLeaf(list)) return 1
  return groups(flat, list).reduce((sum, group) => sum + declared(flat, group), 0)
}

/** What stands between the commas. */
function groups(flat: Flat, list: number): number[][] {
  const found: number[][] = [[]]
  for (const child of flat.children(list)) {
    if (flat.kind(child) === ',') found.push([])
    else if (!flat.is(child, ROLE.ignored)) found.at(-1)?.push(child)
  }
  return found
}

function declared(flat: Flat, group: readonly number[]): number {
  const isMeant = (at: number): boolean => flat.is(at, ROLE.named | ROLE.wild) && !NO_PARAMETER.includes(flat.kind(at))
  const first = group.find(isMeant)
  if (first === undefined) return 0
  // `f(void)` takes nothing.
  if (flat.next[first] === first + 2 && flat.text(first + 1) === 'void') return 0
  if (flat.kind(first) !== 'parameter_declaration' || flat.roles.grammar.declarators) return 1
  // Several names may share a type.
  return 1 + flat.children(first).filter(child => flat.kind(child) === ',').length
}
