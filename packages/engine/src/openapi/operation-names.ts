import { createHash } from 'node:crypto'
import type { Operation } from './operations.ts'

const LONGEST = 64
const HASH = 6

/** A name for the tool of each operation: its id, or its method and path; as long as clients take, and each once. */
export function toolNames(operations: readonly Operation[]): ReadonlyMap<Operation, string> {
  const names = new Map<Operation, string>()
  const taken = new Set<string>()
  for (const operation of operations) {
    const plain = plainName(operation)
    const isFree = plain.length <= LONGEST && !taken.has(plain.toLowerCase())
    const name = isFree ? plain : withHash(plain, `${operation.method} ${operation.path}`)
    taken.add(name.toLowerCase())
    names.set(operation, name)
  }
  return names
}

function plainName({ id, method, path }: Operation): string {
  const own = lettersOf(id ?? '')
  if (own !== '') return own
  const parts = path.split('/').map(part => lettersOf(part.replace(/^\{(.+)\}$/, 'by_$1')))
  return [method, ...parts.filter(part => part !== '')].join('_')
}

const lettersOf = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '')

/** The same operation has the same name, whatever else is in the document. */
function withHash(name: string, place: string): string {
  const hash = createHash('sha256').update(place).digest('hex').slice(0, HASH)
  return `${name.slice(0, LONGEST - HASH - 1)}_${hash}`
}
