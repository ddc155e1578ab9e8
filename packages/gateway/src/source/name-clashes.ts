import type { Log } from '@causeway/engine'
import { isOffered } from '../config/read-servers.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { bareName } from './qualified-names.ts'
import type { NamedKind } from './qualified-names.ts'

/** Tools and prompts of servers without a prefix whose names another server has. The first one in the file offers the name. */
export class NameClashes {
  readonly #upstreams: ReadonlyMap<string, Upstream>
  readonly #reported = new WeakMap<Upstream, string>()
  #own: { readonly server: string; readonly names: Readonly<Record<NamedKind, ReadonlySet<string>>> } = {
    server: '',
    names: { tool: new Set(), prompt: new Set() },
  }

  constructor(upstreams: ReadonlyMap<string, Upstream>) {
    this.#upstreams = upstreams
  }

  /** What this server has itself comes before all others. */
  reserve(server: string, names: Readonly<Record<NamedKind, readonly string[]>>): void {
    this.#own = { server, names: { tool: new Set(names.tool), prompt: new Set(names.prompt) } }
  }

  /**
   * Who else has the name that a server without a prefix gives: this server itself, one before it in the file, or the one whose
   * prefix it begins with.
   */
  find(server: string, kind: NamedKind, name: string): string | undefined {
    const config = this.#upstreams.get(server)?.config
    if (config?.prefix !== false) return undefined
    const key = bareName((kind === 'tool' ? config.rename[name] : undefined) ?? name)
    if (this.#own.names[kind].has(key)) return this.#own.server
    const others = [...this.#upstreams.values()]
    const before = others.slice(0, [...this.#upstreams.keys()].indexOf(server))
    const isUnder = ({ config: { prefix } }: Upstream): boolean => prefix !== false && key.startsWith(`${prefix}__`)
    const has = ({ tools, prompts }: Upstream): boolean => (kind === 'tool' ? tools : prompts).has(key)
    return (others.find(isUnder) ?? before.find(has))?.name
  }

  /** What a server has that is not offered, since another has the name. */
  of({ name: server, config, lists }: Upstream): string[] {
    if (config.prefix !== false || !lists) return []
    const clashes = (kind: NamedKind, names: readonly unknown[]): string[] =>
      names.flatMap(name => {
        const other = this.find(server, kind, String(name))
        return other === undefined ? [] : [`${String(name)}: '${other}' has a ${kind} of that name`]
      })
    const tools = lists.tools.map(({ name }) => name).filter(name => isOffered(config, String(name)))
    const prompts = lists.prompts.map(({ name }) => name)
    return [...clashes('tool', tools), ...clashes('prompt', prompts)]
  }

  /** Log the clashes of a server, each time they are others. */
  report(upstream: Upstream, log: Log): void {
    const clashes = this.of(upstream)
    const shown = clashes.join('\n')
    if (shown !== '' && shown !== this.#reported.get(upstream))
      log('error', 'tools or prompts of a server without a prefix are not offered', { server: upstream.name, clashes })
    this.#reported.set(upstream, shown)
  }
}
