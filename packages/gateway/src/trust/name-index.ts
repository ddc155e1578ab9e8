import { skeleton } from './look-alikes.ts'

// Talk of others' tools is looked for so far; a longer text is a finding of its own.
const LONGEST_READ = 256 * 1024

/** A tool of some server, by its bare name. */
export interface Owned {
  readonly server: string
  readonly name: string
  readonly description?: string | undefined
}

/** The names of all servers' tools, by what they look like and by themselves, so that none has to be compared with all. */
export class NameIndex {
  readonly #bySkeleton = new Map<string, Map<string, string>>()
  readonly #owners = new Map<string, Set<string>>()
  readonly #names = new Map<string, readonly string[]>()

  /** The tools of a server are these now; true if they were others. */
  set(server: string, names: readonly string[]): boolean {
    const before = this.#names.get(server) ?? []
    if (before.length === names.length && before.every((name, at) => name === names[at])) return false
    for (const name of before) this.#remove(server, name)
    this.#names.set(server, names)
    for (const name of names) {
      const alike = this.#bySkeleton.get(skeleton(name)) ?? new Map<string, string>()
      this.#bySkeleton.set(skeleton(name), alike.set(server, name))
      this.#owners.set(name, (this.#owners.get(name) ?? new Set()).add(server))
    }
    return true
  }

  delete(server: string): void {
    this.set(server, [])
    this.#names.delete(server)
  }

  /** Which servers come before which, whenever their tools become known. */
  arrange(servers: readonly string[]): void {
    const known = new Map(this.#names)
    this.#names.clear()
    for (const server of [...servers, ...known.keys()]) this.#names.set(server, known.get(server) ?? [])
  }

  /** A tool of an earlier server with another name that can be taken for this one; the first to come keeps its name. */
  lookAlike({ server, name }: Owned): Owned | undefined {
    const alike = this.#bySkeleton.get(skeleton(name))
    if (!alike || (alike.size === 1 && alike.has(server))) return undefined
    for (const known of this.#names.keys()) {
      if (known === server) return undefined
      const other = alike.get(known)
      if (other !== undefined && other !== name) return { server: known, name: other }
    }
    return undefined
  }

  /** A tool of another server, and of no other tool of its own, that its description speaks of. */
  mentioned({ server, description = '' }: Owned): Owned | undefined {
    for (const [word] of description.slice(0, LONGEST_READ).matchAll(/[\w-]{6,}/g)) {
      const owners = /[_-]/.test(word) ? this.#owners.get(word) : undefined
      const [owner] = owners ?? []
      if (owner !== undefined && !owners?.has(server)) return { server: owner, name: word }
    }
    return undefined
  }

  #remove(server: string, name: string): void {
    const alike = this.#bySkeleton.get(skeleton(name))
    alike?.delete(server)
    if (alike?.size === 0) this.#bySkeleton.delete(skeleton(name))
    const owners = this.#owners.get(name)
    owners?.delete(server)
    if (owners?.size === 0) this.#owners.delete(name)
  }
}
