import { RpcError, SKILLS, fault } from '@causeway/engine'
import type { Caller, Info, Skill } from '@causeway/engine'
import { asOwn, isWithin, rootOf, skillProblem } from '@causeway/engine/internal'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { Lists } from '../source/fetch-lists.ts'
import type { Trust } from '../trust/judgement.ts'
import type { Pool } from '../upstream/pool.ts'
import { SkillIndex, shownSkill } from './skill-index.ts'
import { qualified, unqualified } from './skill-names.ts'

/** What skills that a server does not list need of it. */
export interface UnlistedOwner {
  readonly config: UpstreamConfig
  readonly lists: Lists | undefined
  readonly pool: Pool
}

/** What they need of the gateway. */
export interface UnlistedServices {
  trust(): Trust
  /** Other servers than this one that have a skill at that URI. */
  othersWithSkill(uri: string, server: string): Promise<readonly string[]>
}

interface Unlisted {
  /** The folder of the skill, as it was asked for. */
  readonly shown: string
  readonly own: string
  readonly index: SkillIndex
}

const MOST_KEPT = 200
const MOST_ASKED = 8
const WITHIN_MS = 10_000

/** Skills that a server has and does not list: it is asked for one at a time, by its URI. */
export class UnlistedSkills {
  readonly #owner: UnlistedOwner
  readonly #services: UnlistedServices
  readonly #onlyFor: () => ((caller: Caller) => boolean) | undefined
  readonly #known = new Map<string, Unlisted>()
  #asking = 0

  /** `onlyFor` says who may see what the server shows to us, if not everyone may. */
  constructor(
    owner: UnlistedOwner,
    services: UnlistedServices,
    onlyFor: () => ((caller: Caller) => boolean) | undefined,
  ) {
    this.#owner = owner
    this.#services = services
    this.#onlyFor = onlyFor
  }

  /** The entry of a skill; its URI may have the name of the server in front, and must where other servers have it, too. */
  async find(uri: string, caller: Caller): Promise<Info | undefined> {
    const { config } = this.#owner
    const maySee = this.#onlyFor()
    if (maySee && !maySee(caller)) return undefined
    const named = unqualified(uri, config.name)
    const own = named ?? uri
    const skill = await this.ask(own)
    if (!skill) return undefined
    const others = named === undefined ? await this.#services.othersWithSkill(uri, config.name) : []
    if (others.length > 0) {
      const choices = [config.name, ...others].map(server => qualified(uri, server)).sort()
      throw fault('invalid-params', `Several servers have ${uri.slice(0, 200)}: use ${choices.join(' or ')}`)
    }
    const { lock, mode } = this.#services.trust()
    if (lock && mode !== 'warn') {
      const words = `'${uri.slice(0, 200)}' of '${config.name}' is held back: its server does not list it, so it cannot be approved`
      throw asOwn(fault('tool-failed', words))
    }
    const [shownRoot, ownRoot] = [rootOf(uri), rootOf(own)]
    this.#keep({ shown: shownRoot, own: ownRoot, index: new SkillIndex([skill], () => false) })
    return shownSkill(skill, shownRoot)
  }

  /** Where something is in a skill that was asked for before. */
  placeOf(uri: string): { readonly own: string; readonly index: SkillIndex } | undefined {
    for (const { shown, own, index } of this.#known.values())
      if (isWithin(uri, shown)) return { own: own + uri.slice(shown.length), index }
    return undefined
  }

  /** What the server says of a skill at its own URI, listed or not; undefined if it has none. */
  async ask(uri: string): Promise<Skill | undefined> {
    const { pool, lists } = this.#owner
    if (lists?.extensions?.[SKILLS] === undefined || !uri.endsWith('/SKILL.md')) return undefined
    if (this.#asking >= MOST_ASKED) throw fault('busy', 'Too many skills are asked for at once. Try again later.')
    this.#asking += 1
    try {
      const one = await pool.acquire(undefined)
      try {
        const { skill } = await one.remote.call({ method: 'skills/get', params: { uri }, timeoutMs: WITHIN_MS })
        return skillProblem(skill) === undefined && (skill as Skill).uri === uri ? (skill as Skill) : undefined
      } finally {
        pool.release(one)
      }
    } catch (error) {
      // It says that it has none.
      if (error instanceof RpcError) return undefined
      throw error
    } finally {
      this.#asking -= 1
    }
  }

  #keep(unlisted: Unlisted): void {
    this.#known.delete(unlisted.shown)
    this.#known.set(unlisted.shown, unlisted)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST_KEPT && oldest !== undefined) this.#known.delete(oldest)
  }
}
