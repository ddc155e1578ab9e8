import { createHash, randomBytes } from 'node:crypto'

/** What stands before the first line of a chain. */
export const NO_HASH: string = '0'.repeat(64)

/** The last line of a chain: everything before it follows from its hash. */
export interface ChainHead {
  readonly node: string
  readonly chain: string
  /** The number of the line in its chain. */
  readonly n: number
  readonly hash: string
}

/** What a line says of its place: its chain, its number, and the hash of its bytes and of the line before it. */
export interface ChainPlace extends ChainHead {
  /** How many bytes the hash covers. */
  readonly covered: number
}

const PLACE = /,"node":"([\w.-]{1,128})","chain":"([0-9a-f]{16})","n":(0|[1-9]\d{0,14}),"hash":"([0-9a-f]{64})"\}$/
// Longer than any place, so that only the end of a line has to be looked at.
const LONGEST_PLACE = 300
// `,"hash":"` + 64 digits + `"}`
const HASH_PART = 75

/** The hash of a line: of the one before it, and of its own bytes up to the member `hash`. */
export const hashOf = (before: string, covered: Uint8Array): string =>
  createHash('sha256').update(before).update(covered).digest('hex')

/** Where a line stands in its chain; undefined if it is none of a chain. */
export function placeOf(line: Buffer): ChainPlace | undefined {
  const found = PLACE.exec(line.toString('latin1', Math.max(0, line.length - LONGEST_PLACE)))
  if (!found) return undefined
  const [, node = '', chain = '', n, hash = ''] = found
  return { node, chain, n: Number(n), hash, covered: line.length - HASH_PART }
}

/** Lines that were made but are not written yet. */
export interface ChainedLines {
  readonly bytes: Buffer
  readonly head: ChainHead
}

/** One chain of lines: what is written is made the head only once it stands in the file. */
export class AuditChain {
  readonly #node: string
  readonly #chain: string = randomBytes(8).toString('hex')
  #head: ChainHead | undefined

  /** The node is cut to what every line can carry. */
  constructor(node: string) {
    this.#node = node.replaceAll(/[^\w.-]+/g, '-').slice(0, 128) || 'node'
  }

  get head(): ChainHead | undefined {
    return this.#head
  }

  /** The next lines; `after` is what the first of them follows, if this chain has none yet. */
  next(records: readonly object[], after: string = NO_HASH): ChainedLines {
    let head = this.#head
    const lines = records.map(record => {
      const n = (head?.n ?? -1) + 1
      const own = JSON.stringify(record).slice(0, -1)
      const covered = Buffer.from(`${own},"node":"${this.#node}","chain":"${this.#chain}","n":${n}`)
      const hash = hashOf(head?.hash ?? after, covered)
      head = { node: this.#node, chain: this.#chain, n, hash }
      return Buffer.concat([covered, Buffer.from(`,"hash":"${hash}"}\n`)])
    })
    if (!head) throw new TypeError('There is nothing to write')
    return { bytes: Buffer.concat(lines), head }
  }

  /** These lines stand in the file. */
  written({ head }: ChainedLines): void {
    this.#head = head
  }
}
