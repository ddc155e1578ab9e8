import type { Server, View } from '@causeway/engine'
import type { Views } from '@causeway/engine/http'
import { parseVirtual } from '@causeway/gateway/config'
import { UsageError } from '../config/usage-error.ts'

/** Selections of tools that are served at `/mcp/NAME`: those of the command line, and those of files, which may change. */
export class VirtualServers implements Views {
  readonly #server: Server
  #given: ReadonlyMap<string, View>
  #ofFiles: readonly View[] = []
  #views: ReadonlyMap<string, View>

  constructor(server: Server, given: readonly string[]) {
    this.#server = server
    this.#given = viewsGiven(given)
    this.#views = this.#given
  }

  get names(): readonly string[] {
    return [...this.#views.keys()]
  }

  find(name: string): View | undefined {
    return this.#views.get(name)
  }

  /** Those of the files are these now; where a name was given on the command line, that one stays. */
  replace(views: readonly View[]): void {
    this.#ofFiles = views
    this.#views = new Map([...views.map(view => [view.name, view] as const), ...this.#given])
    for (const kind of ['tools', 'prompts', 'resources'] as const) this.#server.changed(kind)
  }

  /** The exchange of those of the command line for others. */
  prepare(given: readonly string[]): () => void {
    const next = viewsGiven(given)
    return () => {
      this.#given = next
      this.replace(this.#ofFiles)
    }
  }
}

const viewsGiven = (given: readonly string[]): ReadonlyMap<string, View> =>
  new Map(given.map(value => [viewGiven(value).name, viewGiven(value)]))

function viewGiven(value: string): View {
  const view = parseVirtual(value)
  if (view) return view
  throw new UsageError(
    `--virtual must be a name and patterns of tools such as docs=read_*+search_*, got '${value.slice(0, 100)}'.`,
  )
}
