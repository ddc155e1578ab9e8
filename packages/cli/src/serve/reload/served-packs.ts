import { createServer } from '@causeway/engine'
import type { Feature, Implementation, Log, Mount, Pack, Server, Tool } from '@causeway/engine'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { explainHidden } from '../explain-missing.ts'
import type { Explain } from '../explain-missing.ts'
import { speaks } from '../instructions.ts'
import { operatorFilesOf } from '../operator-files.ts'
import { packs } from '../packs.ts'
import type { PackOptions } from '../packs.ts'
import { checkTools, isWanted, withoutViews } from '../wanted-features.ts'

/** What packs are made with, beside what the operator decided. */
export interface PackSurroundings {
  readonly server: Implementation
  readonly processName: string | undefined
  readonly log: Log
  /** What is served beside packs: features of tools folders, names of tools of sources. */
  readonly others: { readonly features: () => readonly Feature[]; readonly tools: readonly string[] }
}

interface Made {
  readonly name: string
  readonly pack: Pack
  /** What of the configuration it was made with. */
  readonly made: string
}

interface Chosen {
  readonly all: readonly Made[]
  readonly served: ReadonlyMap<string, Pack>
  readonly explain: Explain
}

/** The packs of a configuration, mounted; another configuration exchanges those that differ. */
export class ServedPacks {
  readonly #around: PackSurroundings
  readonly #mounts = new Map<string, Mount>()
  readonly #helpers: { readonly tool: Tool; readonly mount: Mount }[] = []
  #chosen: Chosen

  private constructor(around: PackSurroundings, chosen: Chosen) {
    this.#around = around
    this.#chosen = chosen
  }

  /** Make the packs; what is misspelt in the configuration is refused. */
  static async make(config: Config, around: PackSurroundings): Promise<ServedPacks> {
    return new ServedPacks(around, await choose(config, around, []))
  }

  /** The packs as they are served. */
  get served(): readonly Pack[] {
    return [...this.#chosen.served.values()]
  }

  readonly explain: Explain = name => this.#chosen.explain(name)

  /** Mount the packs, and keep places for those that another configuration may add: who is mounted first answers first. */
  mount(server: Server, config: Config): void {
    for (const [name, pack] of this.#chosen.served) this.#mounts.set(name, server.mount(pack))
    if (config.configFile === undefined) return
    for (const name of Object.keys(packs))
      if (!this.#mounts.has(name)) this.#mounts.set(name, server.mount(emptyPack(name)))
  }

  /** Mount a tool of the server itself, where the configuration wants it. */
  mountHelper(server: Server, config: Config, tool: Tool): void {
    this.#helpers.push({ tool, mount: server.mount(helperPack(tool, config)) })
  }

  /** The exchange for another configuration. Packs that are made in the same way go on, with what they know. */
  async prepare(next: Config): Promise<() => void> {
    const chosen = await choose(next, this.#around, this.#chosen.all)
    checkTogether(chosen, this.#around.others.features())
    return () => {
      const before = this.#chosen
      this.#chosen = chosen
      for (const [name, mount] of this.#mounts) if (!chosen.served.has(name)) mount.replace(emptyPack(name))
      for (const [name, pack] of chosen.served)
        if (!isSame(before.served.get(name), pack)) this.#mounts.get(name)?.replace(pack)
      for (const { tool, mount } of this.#helpers) mount.replace(helperPack(tool, next))
    }
  }
}

const emptyPack = (name: string): Pack => ({ name, features: [] })
const helperPack = (tool: Tool, config: Config): Pack => ({
  name: tool.name.replaceAll('_', '-'),
  features: isWanted(tool, config) ? [tool] : [],
})

const isSame = (one: Pack | undefined, other: Pack): boolean =>
  one?.instructions === other.instructions &&
  one?.features.length === other.features.length &&
  other.features.every((feature, i) => feature === one.features[i])

async function choose(config: Config, around: PackSurroundings, known: readonly Made[]): Promise<Chosen> {
  const { server, processName, log } = around
  const given = { server, processName, log, resultBytes: config.maxResponse, wholeFiles: config.preset.wholeFiles }
  const options: PackOptions = { ...config, ...given, operatorFiles: operatorFilesOf(config) }
  const made = optionsText(options)
  const all = await Promise.all(
    config.packs.map(async name => {
      const before = known.find(one => one.name === name && one.made === made)
      return before ?? { name, made, pack: await make(name, options) }
    }),
  )
  const offered = [...all.flatMap(({ pack }) => pack.features), ...around.others.features()]
  const allowed = { allowCommand: ['*'], remotes: true, languageServers: 'auto' as const }
  const whole = { ...options, ...allowed, readOnly: false, needsPrograms: false }
  const explain = explainHidden(config, offered, name => make(name, whole))
  await checkTools(config, offered, explain, around.others.tools)
  return { all, explain, served: new Map(all.map(({ name, pack }) => [name, asServed(pack, config)])) }
}

function optionsText(options: PackOptions): string {
  const { root, readOnly, sandbox, allowCommand, remotes, repositoryAbove, passEnv, templates, data } = options
  const { resultBytes, resultBudget, operatorFiles, languageServers, allowLanguageServer } = options
  const decided = { root, readOnly, sandbox, allowCommand, remotes, repositoryAbove, passEnv, templates, data }
  return JSON.stringify({ ...decided, languageServers, allowLanguageServer, resultBytes, resultBudget, operatorFiles })
}

/** A name that two have would be refused halfway through the exchange. */
function checkTogether({ served }: Chosen, others: readonly Feature[]): void {
  const trial = createServer({ name: 'trial', version: '0', log: false })
  for (const pack of served.values()) trial.mount(pack)
  const clash = others.find(other => other.kind === 'tool' && trial.inputSchemaOf(other.name) !== undefined)
  if (clash?.kind === 'tool') throw new UsageError(`A pack and a tools folder both have a tool '${clash.name}'.`, 4)
}

/** What of a pack is served: the tools that are wanted, the kinds of features that the preset has. */
function asServed({ instructions, ...pack }: Pack, config: Config): Pack {
  const { kinds, streams = false, views = false } = config.preset
  const isServed = (f: Feature): boolean => streams || f.kind !== 'tool' || f.stream === undefined
  const all = views ? pack.features : pack.features.flatMap(withoutViews)
  const features = all.filter(f => isWanted(f, config) && isServed(f) && (kinds?.includes(f.kind) ?? true))
  const isHeard = instructions !== undefined && speaks(instructions, features, config)
  return { ...pack, features, ...(isHeard && { instructions }) }
}

function make(name: string, options: PackOptions): Promise<Pack> {
  const pack = packs[name]
  if (!pack) throw new UsageError(`Unknown pack '${name}'.`)
  return pack(options).catch((error: unknown) => {
    // What a pack refuses is a folder, a pattern or a file that the operator named.
    throw error instanceof Error && !(error instanceof TypeError) ? new UsageError(error.message) : error
  })
}
