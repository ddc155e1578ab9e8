import { SKILLS, fault } from '@causeway/engine'
import type { Awaitable, Call, Caller, Entry, Handle, Params, Result, Shelf, Skill } from '@causeway/engine'
import { asOwn, bytesIn, isObject, mismatch, rootOf } from '@causeway/engine/internal'
import type { Forwarding } from '../calls/forward-link.ts'
import { hintFor } from '../source/fetch-lists.ts'
import type { Lists } from '../source/fetch-lists.ts'
import { LiveShelf } from '../source/live-shelf.ts'
import type { Loading } from '../source/live-shelf.ts'
import type { Held } from '../trust/lock/judge.ts'
import { SkillIndex, shownSkill } from './skill-index.ts'
import type { SkillNames } from './skill-names.ts'
import { UnlistedSkills } from './unlisted-skills.ts'
import type { UnlistedOwner, UnlistedServices } from './unlisted-skills.ts'

/** What the skills of a server need of it. */
export interface SkillOwner extends UnlistedOwner {
  readonly forwarder: { forward(call: Call, forwarding: Forwarding, isJudged?: boolean): Awaitable<Result> }
  heldBack(kind: Held['kind'], name: string): Error | undefined
  /** With a lock, when what the server lists now has been judged. */
  judging(): Promise<void> | undefined
}

/** How the server's lists are loaded, and who sees them. */
export interface SkillLists extends Required<Pick<Loading<Entry>, 'load' | 'onlyFor'>> {
  /** They may be others by now. */
  changed(): void
}

/** What there is to know of the other servers. */
export interface SkillServices extends UnlistedServices {
  /** Which URIs the skills of all servers have here. */
  readonly skillNames: SkillNames
}

/** The skills of one server: listed, and read only as they were listed. */
export class UpstreamSkills implements Shelf<Entry> {
  readonly #owner: SkillOwner
  readonly #names: SkillNames
  readonly #lists: SkillLists
  readonly #live: LiveShelf<Entry>
  readonly #unlisted: UnlistedSkills
  #index = new SkillIndex([], () => false)
  #state = ''

  constructor(owner: SkillOwner, services: SkillServices, lists: SkillLists) {
    this.#owner = owner
    this.#names = services.skillNames
    this.#lists = lists
    const { load, onlyFor } = lists
    this.#live = new LiveShelf({ load, onlyFor, mayHave: () => true })
    this.#unlisted = new UnlistedSkills(owner, services, onlyFor)
  }

  get shared(): boolean {
    return this.#live.shared
  }

  list(caller: Caller): Awaitable<readonly Entry[]> {
    return this.#live.list(caller)
  }

  listen(changed: () => void): () => void {
    return this.#live.listen(changed)
  }

  /** Does the server say that it has skills, and may it? */
  get isOffered(): boolean {
    const { lists } = this.#owner
    return lists?.extensions?.[SKILLS] !== undefined && !this.#owner.heldBack('extension', SKILLS)
  }

  /** Offer what the server lists; true if URIs of other servers' skills changed by that. */
  show(lists: Lists): boolean {
    const { skills = [], digest } = lists
    const cache = hintFor(lists, 'skills')
    const { config } = this.#owner
    const offered = this.isOffered ? (skills as unknown as readonly Skill[]) : []
    const others = this.#names.set(
      config.name,
      offered.map(({ uri }) => rootOf(uri)),
    )
    const held = new Map(offered.map(skill => [skill, this.#owner.heldBack('skill', skill.uri)]))
    this.#index = new SkillIndex(offered, skill => held.get(skill) !== undefined)
    const entries = offered.map(skill => {
      const info = shownSkill(skill, this.#names.shown(config.name, rootOf(skill.uri)))
      return {
        key: String(info.uri),
        info,
        run: this.#directory,
        held: held.get(skill),
        cache,
      }
    })
    const free = entries.filter(one => one.held === undefined)
    const state = JSON.stringify([digest, free.map(({ key }) => key)])
    this.#live.replace(free, [], digest !== undefined && state === this.#state)
    this.#state = state
    return others
  }

  /** What a URI of this server is here; undefined where another server, or ourselves, have that URI for a skill. */
  shownUri(uri: string): string | undefined {
    const { config } = this.#owner
    const shown = this.#names.shown(config.name, uri)
    return this.isElsewhere(shown) ? undefined : shown
  }

  /** Is the URI in a skill of another server, or in one of ours? */
  isElsewhere(uri: string): boolean {
    const place = this.#names.find(uri)
    return place !== undefined && place.server !== this.#owner.config.name
  }

  /** Has the server a skill at that URI, listed or not? */
  async has(uri: string): Promise<boolean> {
    return this.isOffered && (await this.#unlisted.ask(uri).catch(() => undefined)) !== undefined
  }

  /** The file of a skill, by the URI it has here; undefined where no skill of this server is. */
  file(uri: string): Entry | undefined {
    if (!this.#placeOf(uri)) return undefined
    return { key: uri, info: { uri, name: uri }, run: this.#read }
  }

  /** Reads a file of a skill: what is not as it was listed is refused. */
  readonly #read: Handle = async call => {
    const uri = String(call.params.uri)
    await this.#owner.judging()
    const place = this.#placeOf(uri)
    if (!place)
      throw fault('resource-not-found', `Resource not found: ${uri.slice(0, 200)}`, { uri: uri.slice(0, 200) })
    const { own, index } = place
    const known = index.find(own)
    if (!known) throw this.#refusal(uri, 'it is in the folder of a skill that does not list it')
    const held = this.#owner.heldBack('skill', known.skill.uri) ?? this.#owner.heldBack('resource', own)
    if (held) throw held
    const result = await this.#owner.forwarder.forward(call, { params: { uri: own }, repeatable: true }, true)
    if (result.resultType === 'input_required' || !known.file) return inPlace(result, own, uri)
    const bytes = bytesIn(result.contents)
    const why = bytes ? mismatch(known.file, bytes) : 'the server did not return the contents of one file'
    if (why !== undefined) {
      this.#lists.changed()
      throw this.#refusal(uri, `${why}. The server is asked for its skills again`)
    }
    call.cancellation.isVerbatim = true
    return { ...cacheHint(result), contents: [verified(result.contents, uri)] }
  }

  /** A directory of a dynamic skill, which its server alone knows. */
  readonly #directory: Handle = async call => {
    const uri = String(call.params.uri)
    const place = this.#placeOf(uri)
    const settings = this.#owner.lists?.extensions?.[SKILLS]
    if (!place || settings?.directoryRead !== true)
      throw fault('invalid-params', `${uri.slice(0, 200)} is not a directory that its server lists`)
    const { cursor } = call.params
    const params = { uri: place.own, ...(cursor !== undefined && { cursor }) }
    const result = await this.#owner.forwarder.forward(call, { params, repeatable: true })
    const { resources } = result
    const { name } = this.#owner.config
    const shown = (one: unknown): unknown =>
      isObject(one) && typeof one.uri === 'string' ? { ...one, uri: this.#names.shown(name, one.uri) } : one
    return { ...result, resources: Array.isArray(resources) ? resources.map(shown) : [] }
  }

  /** A listed skill; a held one is refused with the reason, and one that is not listed is asked for. */
  async find(uri: string, caller: Caller): Promise<Entry | undefined> {
    const found = await this.#live.find(uri, caller)
    if (found) return found
    if (!this.isOffered) return undefined
    const place = this.#names.find(uri)
    const own = place?.server === this.#owner.config.name ? place.uri : undefined
    const held = own === undefined ? undefined : this.#owner.heldBack('skill', own)
    if (held) throw held
    const choices = this.#names.choices(uri)
    if (choices.length > 0)
      throw fault(
        'invalid-params',
        `Several servers have ${uri.slice(0, 200)}: use ${choices.slice(0, 10).join(' or ')}`,
      )
    // Our own, or another server's.
    if (place && own === undefined) return undefined
    const skill = await this.#unlisted.find(uri, caller)
    return skill && { key: uri, info: skill, run: this.#directory }
  }

  /** The URI that the server has for something in a folder of its skills, and what is known of these. */
  #placeOf(uri: string): { readonly own: string; readonly index: SkillIndex } | undefined {
    const place = this.#names.find(uri)
    if (place?.server === this.#owner.config.name) return { own: place.uri, index: this.#index }
    return place ? undefined : this.#unlisted.placeOf(uri)
  }

  #refusal(uri: string, why: string): Error {
    return asOwn(fault('tool-failed', `'${uri.slice(0, 200)}' of '${this.#owner.config.name}' is refused: ${why}`))
  }
}

const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/

/** Of contents whose bytes were verified only these are passed on: nothing else in them is of the digest. */
function verified(contents: unknown, uri: string): Params {
  const [one] = contents as readonly Params[]
  const { text, blob, mimeType } = one ?? {}
  const hasType = typeof mimeType === 'string' && MEDIA_TYPE.test(mimeType)
  return { uri, ...(hasType && { mimeType }), ...(typeof text === 'string' ? { text } : { blob }) }
}

const cacheHint = ({ ttlMs, cacheScope }: Result): Result => ({
  ...(typeof ttlMs === 'number' && { ttlMs }),
  ...((cacheScope === 'public' || cacheScope === 'private') && { cacheScope }),
})

/** Contents under the URI that was asked for; nothing else in them is touched. */
function inPlace(result: Result, own: string, shown: string): Result {
  const { contents } = result
  if (own === shown || !Array.isArray(contents)) return result
  const renamed = (one: unknown): unknown => (isObject(one) && one.uri === own ? { ...one, uri: shown } : one)
  return { ...result, contents: contents.map(renamed) }
}
