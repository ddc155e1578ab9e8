import { cyclicGroups } from './components.ts'
import type { Name } from './names.ts'
import type { Scope } from './scope.ts'

/** A function, by name. */
export interface Known {
  readonly scope: Scope
  readonly name: Name
}

const SELF = new Set(['this', '$this', 'self', 'Self', 'static', 'cls'])

/** What a language lets a bare name mean. */
export interface Naming {
  readonly overloads?: boolean
  readonly implicitThis?: boolean
}

/** The functions of a file that call themselves, directly or through each other. */
export function recursive(functions: readonly Known[], naming: Naming): Set<Scope> {
  const byName = new Map<string, Known[]>()
  for (const known of functions) {
    const same = byName.get(known.name.simple)
    if (same) same.push(known)
    else byName.set(known.name.simple, [known])
  }
  const byScope = new Map(functions.map(known => [known.scope, known]))
  const edges = new Map<Scope, Set<Scope>>(functions.map(({ scope }) => [scope, new Set()]))
  for (const { scope } of functions) {
    const home = homeOf(scope, byScope)
    for (const call of scope.calls) {
      const [qualifier = '', simple = ''] = call.split(' ')
      const meant = called(qualifier, byName.get(simple) ?? [], { home, naming })
      for (let caller: Scope | undefined = scope; caller; caller = caller.outer) {
        for (const { scope: to } of meant) edges.get(caller)?.add(to)
      }
    }
  }
  return new Set(cyclicGroups(edges).flat())
}

interface Where {
  readonly home: ReadonlySet<string>
  readonly naming: Naming
}

/** Which of the functions with the right name a call means. */
function called(qualifier: string, known: readonly Known[], { home, naming }: Where): readonly Known[] {
  const isOwn = SELF.has(qualifier) || home.has(qualifier)
  const isNeighbour = ({ name }: Known): boolean => name.container !== '' && home.has(name.container)
  const isFree = ({ name }: Known): boolean => name.container === '' && !name.isMember
  const isReached = (at: Known): boolean => isFree(at) || (naming.implicitThis === true && isNeighbour(at))
  const meant = isOwn ? known.filter(isNeighbour) : qualifier === '' ? known.filter(isReached) : []
  // Of several functions with one name we do not know which is called.
  return naming.overloads === true && meant.length > 1 ? [] : meant
}

/** The names by which code in a function reaches its own object or type. */
function homeOf(scope: Scope, byScope: ReadonlyMap<Scope, Known>): Set<string> {
  const home = new Set<string>()
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    const { container = '', receiver = '' } = byScope.get(at)?.name ?? {}
    if (container !== '') home.add(container)
    if (receiver !== '') home.add(receiver)
  }
  return home
}
