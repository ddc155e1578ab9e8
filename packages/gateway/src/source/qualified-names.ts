import { createHash } from 'node:crypto'

/** What is called by its name. */
export type NamedKind = 'tool' | 'prompt'

/** The longest name that every client takes. */
export const LONGEST = 64
const SEPARATOR = '__'
const HASH = 8

/**
 * The name under which a server's tool or prompt is offered: `server__tool`. It depends on nothing but these two, so it
 * stays the same whatever else is added; a name too long for some clients keeps its beginning and gets a hash.
 */
export function qualifiedName(server: string, name: string): string {
  const whole = `${server}${SEPARATOR}${name}`
  return whole.length <= LONGEST ? whole : shortened(whole)
}

/** The name of a tool or prompt of a server without a prefix; one too long for some clients is shortened in the same way. */
export const bareName = (name: string): string => (name.length <= LONGEST ? name : shortened(name))

function shortened(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH)
  return `${name.slice(0, LONGEST - HASH - 1)}_${hash}`
}

/** What a server is called in names: its own name, with every letter that clients refuse made an underscore. */
export function serverPrefix(server: string): string {
  const plain = server.replaceAll(/[^\w-]+/g, '_').replaceAll(/_{2,}/g, '_')
  return plain.replaceAll(/^_|_$/g, '') || 'server'
}
