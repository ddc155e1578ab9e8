import { fault } from '@causeway/engine'
import type { Log, Params } from '@causeway/engine'
import { asOwn } from '@causeway/engine/internal'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { Lists } from '../source/fetch-lists.ts'
import type { NamedKind } from '../source/qualified-names.ts'
import { inSlices } from '../source/slices.ts'
import { FEATURES } from './lock/features.ts'
import { printOf } from './lock/fingerprint.ts'
import { judge } from './lock/judge.ts'
import type { Held } from './lock/judge.ts'
import { isPartial } from './lock/lock-file.ts'
import type { Lock } from './lock/lock-file.ts'
import type { NameIndex } from './name-index.ts'
import { Scanning, scanBeside, scanLists } from './scan-definitions.ts'
import type { Finding } from './scan-definitions.ts'

/** What is done about changed and suspicious definitions. */
export interface Trust {
  /** What was approved; without one, what a server says first is believed. */
  readonly lock?: Lock | undefined
  /** `hold` what changed, hold all of its server (`strict`), or only log it (`warn`). */
  readonly mode: 'hold' | 'strict' | 'warn'
  readonly scan: 'refuse' | 'warn' | 'off'
}

/** What definitions are judged by. */
export interface JudgementRules {
  trust(): Trust
  /** The tools of all servers. */
  readonly names: NameIndex
  readonly log: Log
  /** Another server that has a tool or prompt of the same name, where this one has no prefix. */
  clash(server: string, kind: NamedKind, name: string): string | undefined
}

const MOST_LOGGED = 20
/** What a method is about. */
const CALLED: Readonly<Record<string, Held['kind'] | undefined>> = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
}

/** What is thought of the definitions of one server. */
export class Judgement {
  readonly #config: UpstreamConfig
  readonly #rules: JudgementRules
  #held = new Map<string, Held>()
  /** What is wrong with each definition by itself, by kind and name. */
  #alone: ReadonlyMap<string, readonly Finding[]> = new Map()
  #findings: ReadonlyMap<string, readonly Finding[]> = new Map()
  /** The lists that were scanned last, and what was found in them. */
  #scanned: { readonly lists: Lists; readonly found: ReadonlyMap<string, readonly Finding[]> } | undefined
  /** The differences that were logged last. */
  #told = ''

  constructor(config: UpstreamConfig, rules: JudgementRules) {
    this.#config = config
    this.#rules = rules
  }

  get held(): readonly Held[] {
    return [...this.#held.values()]
  }

  /** What was found, by kind and name of the definition. */
  get findings(): ReadonlyMap<string, readonly Finding[]> {
    return this.#findings
  }

  /** Do ahead, in slices, what takes long with new lists. */
  async prepare(lists: Lists): Promise<void> {
    const { lock, scan } = this.#rules.trust()
    if (lock) for (const { listed } of FEATURES) await inSlices(listed(lists), ([, one]) => void printOf(one))
    if (scan === 'off') return
    const scanning = new Scanning(lists)
    await inSlices(scanning.parts, part => scanning.look(part))
    this.#scanned = { lists, found: scanning.found }
  }

  /** Judge what the server lists; true if it has other tools than before. */
  judge(lists: Lists): boolean {
    const { names } = this.#rules
    this.#held = new Map(this.#unapprovedIn(lists).map(one => [`${one.kind} ${one.name}`, one]))
    if (this.#rules.trust().scan === 'off') return false
    const { lists: known, found } = this.#scanned ?? {}
    this.#alone = known === lists && found ? found : scanLists(lists)
    this.#scanned = { lists, found: this.#alone }
    const hasChanged = names.set(
      this.#config.name,
      lists.tools.map(({ name }) => String(name)),
    )
    this.compare(lists)
    return hasChanged
  }

  /** Look at tools beside those of other servers; true if something else is found than before. */
  compare({ tools }: Lists): boolean {
    const { log, names } = this.#rules
    const server = this.#config.name
    const found = new Map(this.#alone)
    for (const { name, description } of tools) {
      const owned = { server, name: String(name), ...(typeof description === 'string' && { description }) }
      const key = `tool ${owned.name}`
      const beside = scanBeside(owned, names)
      if (beside.length > 0) found.set(key, [...(found.get(key) ?? []), ...beside])
    }
    const before = this.#findings
    this.#findings = found
    const fresh = [...found].filter(([key, list]) => JSON.stringify(before.get(key)) !== JSON.stringify(list))
    for (const [definition, findings] of fresh.slice(0, MOST_LOGGED))
      log('warn', 'a definition looks wrong', { server, definition, findings })
    return fresh.length > 0 || before.size !== found.size
  }

  /** Why a feature may not be used, if so. */
  heldBack(kind: Held['kind'], name: string): Error | undefined {
    const { clash } = this.#rules
    const trust = this.#rules.trust()
    const server = this.#config.name
    const other = kind === 'tool' || kind === 'prompt' ? clash(server, kind, name) : undefined
    if (other !== undefined) {
      const words = `'${other}' has a ${kind} '${name}', and so has '${server}', which has no prefix`
      const hint = `Give '${server}' a "prefix"${kind === 'tool' ? ', or rename the tool with "rename"' : ''}.`
      return fault('tool-failed', words, undefined, { hint })
    }
    const [finding] = trust.scan === 'refuse' ? (this.#findings.get(`${kind} ${name}`) ?? []) : []
    if (finding) return fault('tool-failed', `'${name}' of '${server}' is refused: its ${finding.where} ${finding.why}`)
    return trust.mode === 'warn' ? undefined : this.#unapproved(kind, name)
  }

  /** Throws for a call that may not be forwarded, by its method and the server's own names. */
  check(method: string, { name, uri }: Params): void {
    const kind = CALLED[method]
    const held = kind && this.heldBack(kind, String(kind === 'resource' ? uri : name))
    if (held) throw held
  }

  #unapprovedIn(lists: Lists): readonly Held[] {
    const { log } = this.#rules
    const { lock } = this.#rules.trust()
    const server = this.#config.name
    if (!lock) return []
    const locked = Object.hasOwn(lock, server) ? lock[server] : undefined
    const held = judge(locked, lists).filter(({ change }) => change !== 'same')
    const changes = held.slice(0, MOST_LOGGED).map(({ before, after, ...change }) => change)
    const told = JSON.stringify([held.length, changes])
    if (told === this.#told) return held
    this.#told = told
    if (locked && isPartial(locked))
      log('warn', 'the lock is of an earlier version, and covers less: run causeway lock again', { server })
    if (held.length > 0)
      log('warn', 'a server differs from what was approved', { server, differences: held.length, changes })
    return held
  }

  /** What is gone cannot be held back, and holds nothing else back. */
  #unapproved(kind: Held['kind'], name: string): Error | undefined {
    const whole = this.#held.get('server ')
    const own = this.#held.get(`${kind} ${name}`)
    const isStrict = this.#rules.trust().mode === 'strict'
    const other = whole ?? (isStrict ? this.held.find(({ change }) => change !== 'gone') : undefined)
    const held = own && own.change !== 'gone' ? own : other
    if (!held) return undefined
    const server = this.#config.name
    const because =
      held === own ? 'it differs from what was approved' : `${namedIn(held)} differs from what was approved`
    const words = `'${name}' of '${server}' is held back: ${because} (${held.change}: ${held.details.join(', ')})`
    // Names are the server's own words, and this command may be pasted: only plain names are part of it.
    const target = [server, ...(held === own && !isStrict ? [name] : [])].filter(isPlain).join(' ')
    const hint = `Look at it with: causeway lock diff. Then: causeway lock approve ${target}`.trimEnd()
    return asOwn(fault('tool-failed', words, { change: held.change, details: held.details }, { hint }))
  }
}

const namedIn = ({ kind, name }: Held): string =>
  name === '' || name === kind ? `its ${kind}` : `its ${kind} '${name}'`
const isPlain = (word: string): boolean => /^\w[\w.:/-]*$/.test(word)
