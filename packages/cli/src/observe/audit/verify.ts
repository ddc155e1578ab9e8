import { hashOf, NO_HASH, placeOf } from './chain.ts'
import type { ChainHead, ChainPlace } from './chain.ts'
import { tornOf } from './file-end.ts'
import type { TornLine } from './file-end.ts'
import { linesIn, sortedByTime } from './lines.ts'

/** What became of the verification of an audit. */
export interface Verdict {
  /** The first line that is not what was written, and why. */
  readonly problem: { readonly file: string; readonly line: number; readonly why: string } | undefined
  /** What is no proof of a change, but good to know. */
  readonly notes: readonly string[]
  /** The last line of each chain that no other one goes on from. */
  readonly heads: readonly ChainHead[]
  readonly lines: number
}

interface KnownChain {
  head: ChainHead
  /** Where its last line is. */
  at: string
  hasEnd: boolean
  /** Does another chain go on where this one ended? */
  isContinued: boolean
}

/** What a line of ours that is no entry says. */
interface ChainRecord {
  readonly audit?: unknown
  readonly after?: unknown
  readonly unended?: unknown
  readonly lost?: unknown
  readonly torn?: TornLine
}

// Where several processes write to one file, what another one found as its end may be some lines back.
const NEAR = 1000
const RECORD = Buffer.from('{"audit":"')

class Tampered extends Error {
  readonly line: number

  constructor(line: number, why: string) {
    super(why)
    this.line = line
  }
}

/** Verify the chains in some files: every line has the hash of its own bytes and of the line before it. */
export function verifyAudit(files: readonly string[], expected: readonly string[] = []): Verdict {
  const verifier = new Verifier(expected)
  for (const file of sortedByTime(files)) {
    try {
      verifier.file(file)
    } catch (error) {
      if (!(error instanceof Tampered)) throw error
      return verifier.verdict({ file, line: error.line, why: error.message })
    }
  }
  return verifier.verdict(undefined)
}

class Verifier {
  readonly #chains = new Map<string, KnownChain>()
  readonly #notes: string[] = []
  readonly #expected: Set<string>
  #lines = 0
  #file = ''
  #line = 0
  /** Hashes of the last lines of the file. */
  #near: string[] = []
  /** A line that was not finished, until the next one says what it was. */
  #torn: { readonly line: number; readonly is: TornLine } | undefined

  constructor(expected: readonly string[]) {
    this.#expected = new Set(expected)
  }

  file(file: string): void {
    this.#file = file
    this.#line = 0
    this.#near = []
    for (const { bytes, isWhole } of linesIn(file)) {
      this.#line += 1
      this.#lines += 1
      const place = placeOf(bytes)
      if (place) this.#chained(bytes, place)
      else if (isWhole) this.#unchained(bytes)
      else this.#rest(bytes)
      if (place && !isWhole) this.#note('the last line has no newline at its end')
    }
    if (this.#torn) throw new Tampered(this.#torn.line, NO_LINE)
  }

  verdict(problem: Verdict['problem']): Verdict {
    const last = [...this.#chains.values()].filter(chain => !chain.isContinued)
    const unfinished = [...this.#chains.values()].filter(chain => !chain.hasEnd)
    const missing = [...this.#expected][0]
    const wrong =
      missing === undefined ? undefined : { file: this.#file, line: this.#line, why: `no line has the hash ${missing}` }
    return {
      problem: problem ?? wrong,
      notes: problem ? this.#notes : [...this.#notes, ...unfinished.map(({ at }) => `${at}: ${NO_END}`)],
      heads: last.map(({ head }) => head),
      lines: this.#lines,
    }
  }

  #chained(bytes: Buffer, place: ChainPlace): void {
    const covered = bytes.subarray(0, place.covered)
    const record = covered.subarray(0, RECORD.length).equals(RECORD) ? recordIn(bytes) : undefined
    this.#checkTorn(record)
    const known = this.#chains.get(place.chain)
    const before = known ? this.#next(known, place) : this.#first(place, record)
    if (hashOf(before, covered) !== place.hash)
      throw new Tampered(this.#line, 'the line is not what was written, or it does not follow the line before it')
    if (known && record?.audit === 'carried' && record.after !== before) throw new Tampered(this.#line, CUT)
    this.#take(place, record)
  }

  /** What a line must follow whose chain is known. */
  #next({ head }: KnownChain, { n }: ChainPlace): string {
    if (n === head.n + 1) return head.hash
    const why = `the line has the number ${n}, but ${head.n + 1} is next in its chain`
    throw new Tampered(this.#line, `${why}: lines before it were removed, added or moved`)
  }

  /** What the first line of a chain must follow. */
  #first({ n }: ChainPlace, record: ChainRecord | undefined): string {
    const { audit, after } = record ?? {}
    if (audit === 'begin' && n === 0) return this.#begin(after)
    if (audit !== 'carried' || typeof after !== 'string') throw new Tampered(this.#line, CUT)
    this.#note(`the chain begins in a file that was not given; its last line there has the hash ${after}`)
    this.#expected.delete(after)
    return after
  }

  /** A process goes on where it found the end of the file. */
  #begin(after: unknown): string {
    if (after === null && this.#line === 1) return NO_HASH
    if (typeof after !== 'string' || !this.#near.includes(after)) throw new Tampered(this.#line, CUT)
    for (const chain of this.#chains.values()) if (chain.head.hash === after) chain.isContinued = true
    return after
  }

  #take({ node, chain, n, hash }: ChainPlace, record: ChainRecord | undefined): void {
    const at = `${this.#file} line ${this.#line}`
    const known = this.#chains.get(chain)
    const hasEnd = record?.audit === 'end'
    this.#chains.set(chain, { head: { node, chain, n, hash }, at, hasEnd, isContinued: known?.isContinued ?? false })
    this.#near.push(hash)
    if (this.#near.length > 2 * NEAR) this.#near = this.#near.slice(-NEAR)
    this.#expected.delete(hash)
    if (record?.audit === 'gap') this.#note(`${String(record.lost)} entries before this line could not be written`)
  }

  /** The next line after one that was not finished says what was left of it. */
  #checkTorn(record: ChainRecord | undefined): void {
    const torn = this.#torn
    const told = record?.torn
    if (!torn && !told) return
    if (!torn || told?.sha256 !== torn.is.sha256 || told.bytes !== torn.is.bytes)
      throw new Tampered(torn?.line ?? this.#line, torn ? NO_LINE : CUT)
    this.#torn = undefined
    this.#note('the line before it was not finished: lines may be missing there')
  }

  #unchained(bytes: Buffer): void {
    if (this.#torn || bytes.length === 0) throw new Tampered(this.#torn?.line ?? this.#line, NO_LINE)
    this.#torn = { line: this.#line, is: tornOf(bytes) }
  }

  /** The file ends within a line: what there is of it can be no more than the beginning of one. */
  #rest(bytes: Buffer): void {
    const begins = BEGINNINGS.some(one => one.startsWith(bytes.toString('latin1', 0, one.length)))
    if (!begins || WHOLE.test(bytes.toString('latin1'))) throw new Tampered(this.#line, NO_LINE)
    this.#note('the file ends within a line: lines may be missing there')
  }

  #note(what: string): void {
    this.#notes.push(`${this.#file} line ${this.#line}: ${what}`)
  }
}

const CUT = 'what it follows is not there: lines before it were removed, added or moved'
const NO_LINE = 'the line is no line of a chain'
const NO_END = 'the last line of a chain without an end: its process still writes, or lines after it may be missing'
const BEGINNINGS = ['{"time":"', '{"audit":"']
const WHOLE = /"hash":"[0-9a-f]{64}"\}/

function recordIn(bytes: Buffer): ChainRecord | undefined {
  try {
    return JSON.parse(bytes.toString()) as ChainRecord
  } catch {
    return undefined
  }
}
