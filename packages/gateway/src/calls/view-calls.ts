import { fault, showsViews } from '@causeway/engine'
import type { Awaitable, Call, Entry, Handle, Policy, Result, Server } from '@causeway/engine'
import { clientKey } from '@causeway/engine/internal'
import { isForViews } from '../source/app-definitions.ts'
import type { Named } from '../source/entries.ts'
import { viewServer } from '../source/view-uris.ts'
import type { Upstream } from '../upstream/upstream.ts'

const MOST_SESSIONS = 10_000
const MOST_VIEWS = 100
const MOST_NAMED = 20

interface Choice {
  readonly server: string
  /** The name of the tool here. */
  readonly key: string
}

/**
 * Finds the server of a call that comes from a view: a view knows the names that its own server has for its tools, and
 * hosts pass them on. It stands outside of all other policies, so that rights, limits and audit see the name here.
 */
export class ViewCalls {
  readonly #server: Server
  readonly #upstreams: () => Iterable<Upstream>
  /** The servers whose views a session has read, the latest session last. */
  readonly #read = new Map<string, Set<string>>()

  constructor(server: Server, upstreams: () => Iterable<Upstream>) {
    this.#server = server
    this.#upstreams = upstreams
  }

  readonly policy: Policy = (call: Call, next: Handle) => {
    if (call.method === 'tools/call') return showsViews(call.caller) ? this.#call(call, next) : next(call)
    if (call.method !== 'resources/read') return next(call)
    const server = typeof call.params.uri === 'string' ? viewServer(call.params.uri) : undefined
    if (server === undefined) return next(call)
    const result = next(call)
    if (result instanceof Promise) return result.then(done => this.#noted(call, server, done))
    return this.#noted(call, server, result)
  }

  /** A name that is offered here is that tool's, whatever servers call theirs. */
  #call(call: Call, next: Handle): Awaitable<Result> {
    const { name } = call.params
    const choices = typeof name === 'string' ? this.#choices(name, call) : []
    if (choices.length === 0) return next(call)
    const known = this.#server.definitionOf(String(name), call.caller)
    const go = (isKnown: boolean): Awaitable<Result> => next(isKnown ? call : this.#named(call, choices))
    return known instanceof Promise ? known.then(info => go(info !== undefined)) : go(known !== undefined)
  }

  #named(call: Call, choices: readonly Choice[]): Call {
    const read = this.#read.get(sessionKey(call))
    const likely = choices.length === 1 ? choices : choices.filter(({ server }) => read?.has(server))
    const [one, ...others] = likely
    if (one && others.length === 0) return { ...call, params: { ...call.params, name: one.key } }
    const subject = String(call.params.name).slice(0, 100)
    const all = likely.length > 1 ? likely : choices
    const names = all.slice(0, MOST_NAMED).map(({ key }) => `'${key}'`)
    const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : ''
    const hint = `Several servers have a tool of that name: ${names.join(', ')}${more}. Call one of these.`
    throw fault('unknown-tool', `Unknown tool: ${subject}. ${hint}`, undefined, { subject, hint })
  }

  #choices(name: string, { caller }: Call): readonly Choice[] {
    const found: Choice[] = []
    for (const upstream of this.#upstreams()) {
      for (const entry of upstream.tools.entries as readonly (Entry & Named)[]) {
        const isIt = entry.original === name && isForViews(entry.info)
        if (isIt && caller.view?.offers('tools', entry.key) !== false)
          found.push({ server: upstream.name, key: entry.key })
      }
    }
    return found
  }

  #noted(call: Call, server: string, result: Result): Result {
    const key = sessionKey(call)
    const servers = this.#read.get(key) ?? new Set<string>()
    this.#read.delete(key)
    this.#read.set(key, servers)
    if (servers.size < MOST_VIEWS) servers.add(server)
    const [oldest] = this.#read.keys()
    if (this.#read.size > MOST_SESSIONS && oldest !== undefined) this.#read.delete(oldest)
    return result
  }
}

const sessionKey = (call: Call): string => `${call.link.session?.id ?? ''}\n${clientKey(call)}`
