import type { Log } from '@causeway/engine'
import { isOffered } from '../config/read-servers.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { bareName } from './qualified-names.ts'

/** Tools of servers without a prefix whose names another server has. The first one in the file offers the name. */
export class NameClashes {
  readonly #upstreams: ReadonlyMap<string, Upstream>
  readonly #reported = new WeakMap<Upstream, string>()
  #own: { readonly server: string; readonly tools: ReadonlySet<string> } = { server: '', tools: new Set() }

  constructor(upstreams: ReadonlyMap<string, Upstream>) {
    this.#upstreams = upstreams
  }

  /** The tools of this server itself come before all others. */
  reserve(server: string, tools: readonly string[]): void {
    this.#own = { server, tools: new Set(tools) }
  }

  /** Who else has the name of a tool of a server without a prefix: this server itself, or one before it in the file. */
  find(name: string, tool: string): string | undefined {
    const config = this.#upstreams.get(name)?.config
    if (config?.prefix !== false) return undefined
    const key = bareName(config.rename[tool] ?? tool)
    if (this.#own.tools.has(key)) return this.#own.server
    for (const [other, { tools }] of this.#upstreams) {
      if (other === name) return undefined
      if (tools.has(key)) return other
    }
    return undefined
  }

  /** The tools of a server that are not offered, since another has the name. */
  of({ name, config, lists }: Upstream): string[] {
    if (config.prefix !== false) return []
    return (lists?.tools ?? []).flatMap(({ name: tool }) => {
      const other = isOffered(config, String(tool)) ? this.find(name, String(tool)) : undefined
      return other === undefined ? [] : [`${String(tool)}: '${other}' has a tool of that name`]
    })
  }

  /** Log the clashes of a server, each time they are others. */
  report(upstream: Upstream, log: Log): void {
    const clashes = this.of(upstream)
    const shown = clashes.join('\n')
    if (shown !== '' && shown !== this.#reported.get(upstream))
      log('error', 'tools of a server without a prefix are not offered', { server: upstream.name, clashes })
    this.#reported.set(upstream, shown)
  }
}
