import { fault } from '@causeway/engine'
import type { Log } from '@causeway/engine'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { Lists } from '../source/fetch-lists.ts'
import type { ListCache } from '../source/list-cache.ts'
import { judge } from './lock/lock-file.ts'
import type { Held, Lock } from './lock/lock-file.ts'
import { scan, scanBeside } from './scan-definitions.ts'
import type { Finding, NameIndex } from './scan-definitions.ts'

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
  readonly trust: Trust
  readonly cache: ListCache
  /** The tools of all servers. */
  readonly names: NameIndex
  readonly log: Log
  /** Another server without a prefix that has a tool of the same name. */
  clash(server: string, tool: string): string | undefined
}

/** What is thought of the definitions of one server. */
export class Judgement {
  readonly #config: UpstreamConfig
  readonly #rules: JudgementRules
  #held = new Map<string, Held>()
  /** What is wrong with each tool by itself. */
  #alone = new Map<string, Finding[]>()
  #findings = new Map<string, Finding[]>()

  constructor(config: UpstreamConfig, rules: JudgementRules) {
    this.#config = config
    this.#rules = rules
  }

  get held(): readonly Held[] {
    return [...this.#held.values()]
  }

  get findings(): ReadonlyMap<string, readonly Finding[]> {
    return this.#findings
  }

  /** Judge what the server lists; true if it has other tools than before. */
  judge(lists: Lists): boolean {
    const { trust, cache, log, names } = this.#rules
    const { name } = this.#config
    this.#held = new Map()
    if (trust.lock) {
      const before = cache.read(this.#config, 'locked')?.tools
      const held = judge(trust.lock[name], lists, before).filter(({ change }) => change !== 'same')
      for (const one of held) this.#held.set(`${one.kind} ${one.name}`, one)
      if (held.length > 0) log('warn', 'a server differs from what was approved', { server: name, changes: held })
    }
    if (trust.scan === 'off') return false
    this.#alone = new Map(lists.tools.map(tool => [String(tool.name), scan(tool)]))
    const hasChanged = names.set(name, [...this.#alone.keys()])
    this.compare(lists)
    return hasChanged
  }

  /** Look at tools beside those of other servers; true if something else is found than before. */
  compare({ tools }: Lists): boolean {
    const { log, names } = this.#rules
    const server = this.#config.name
    const found = tools.flatMap(({ name, description }) => {
      const owned = { server, name: String(name), ...(typeof description === 'string' && { description }) }
      const findings = [...(this.#alone.get(owned.name) ?? []), ...scanBeside(owned, names)]
      return findings.length > 0 ? [[owned.name, findings] as const] : []
    })
    const before = this.#findings
    this.#findings = new Map(found)
    const isNew = ([tool, findings]: (typeof found)[number]): boolean =>
      JSON.stringify(before.get(tool)) !== JSON.stringify(findings)
    const fresh = found.filter(isNew)
    for (const [tool, findings] of fresh) log('warn', 'a definition looks wrong', { server, tool, findings })
    return fresh.length > 0 || before.size !== found.length
  }

  /** Why a feature may not be used, if so. */
  heldBack(kind: Held['kind'], name: string): Error | undefined {
    const { trust, clash } = this.#rules
    const server = this.#config.name
    const other = kind === 'tool' ? clash(server, name) : undefined
    if (other !== undefined) {
      const words = `Both '${other}' and '${server}' have '${name}', and neither has a prefix`
      const hint = `Give one of them a "prefix", or rename the tool with "rename".`
      return fault('tool-failed', words, undefined, { hint })
    }
    const [finding] = kind === 'tool' && trust.scan === 'refuse' ? (this.#findings.get(name) ?? []) : []
    if (finding) return fault('tool-failed', `'${name}' of '${server}' is refused: its ${finding.where} ${finding.why}`)
    return trust.mode === 'warn' ? undefined : this.#unapproved(kind, name)
  }

  #unapproved(kind: Held['kind'], name: string): Error | undefined {
    const whole = this.#held.get('server ')
    const strict = this.#rules.trust.mode === 'strict' ? this.held[0] : undefined
    const held = this.#held.get(`${kind} ${name}`) ?? (whole?.change === 'new' ? whole : undefined) ?? strict
    if (!held || held.change === 'gone') return undefined
    const server = this.#config.name
    const words = `'${name}' of '${server}' is held back: it differs from what was approved (${held.change}: ${held.details.join(', ')})`
    const tool = kind === 'tool' ? name : ''
    const hint = `Look at it with: causeway lock diff. Then: causeway lock approve ${server} ${tool}`.trimEnd()
    return fault('tool-failed', words, { change: held.change, details: held.details }, { hint })
  }
}
