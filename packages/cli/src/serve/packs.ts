import type { Log, Pack } from '@causeway/engine'
import type { Edits } from '@causeway/packs/workstation'
import type { FlagValues } from '../config/flags.ts'

type PackFlag =
  | 'readOnly'
  | 'sandbox'
  | 'languageServers'
  | 'allowLanguageServer'
  | 'allowCommand'
  | 'repositoryAbove'
  | 'passEnv'
  | 'templates'
  | 'data'

/** What the operator decided that packs must know. */
export interface PackOptions extends Pick<FlagValues, PackFlag> {
  /** Who the server says it is. */
  readonly server: { readonly name: string; readonly version: string }
  readonly root: readonly string[]
  /** Files and folders that decide what this server runs. */
  readonly operatorFiles?: readonly string[]
  /** Which remotes git may use: none, all, or those whose address matches a pattern. */
  readonly remotes: boolean | readonly string[]
  /** Read files whole. */
  readonly wholeFiles?: boolean | undefined
  /** How the preset wants them. */
  readonly preset?: { readonly plainArguments?: boolean }
  /** Bytes a result may have. */
  readonly resultBytes: number
  /** Tokens the text of a result may have. */
  readonly resultBudget?: number | undefined
  /** Names this process where several serve the same clients. */
  readonly processName?: string | undefined
  readonly log: Log
  /** The packs that are served. */
  readonly packs?: readonly string[]
  /** Leave out what needs a program that is not installed. Default: yes. */
  readonly needsPrograms?: boolean
}

const shared = new WeakMap<PackOptions, Promise<Edits>>()

/** What packs of one server edited, for all of them; an edit can be undone where the workstation pack is served. */
function editsOf(options: PackOptions): Promise<Edits> | undefined {
  if (!options.packs?.includes('workstation')) return undefined
  const make = async (): Promise<Edits> =>
    (await import('@causeway/packs/workstation')).createEdits(options.resultBytes)
  const known = shared.get(options) ?? make()
  shared.set(options, known)
  return known
}

/** How each pack is made; its code is loaded only when it is served. */
export const packs: Readonly<Record<string, (options: PackOptions) => Promise<Pack>>> = {
  basics: async ({ server: { version } }) => (await import('@causeway/packs/basics')).basics({ version }),
  workstation: async options => {
    const { hasGit, workstation } = await import('@causeway/packs/workstation')
    const withoutGit = options.needsPrograms !== false && !(await hasGit(options.root))
    if (withoutGit)
      options.log('warn', 'git was not found on PATH outside the roots: tools that need it are not offered')
    return workstation({
      server: options.server,
      roots: options.root,
      operatorFiles: options.operatorFiles,
      readOnly: options.readOnly,
      wholeFiles: options.wholeFiles,
      sandbox: options.sandbox,
      allowCommand: options.allowCommand,
      allowRemote: options.remotes,
      repositoryAbove: options.repositoryAbove,
      environment: options.passEnv,
      processName: options.processName,
      edits: await editsOf(options),
      plainArguments: options.preset?.plainArguments,
      withoutGit,
      limits: { resultBytes: options.resultBytes, resultTokens: options.resultBudget },
    })
  },
  toolkit: async options =>
    (await import('@causeway/packs/toolkit')).toolkit({
      server: options.server,
      roots: options.root,
      readOnly: options.readOnly,
      sandbox: options.sandbox,
      templates: options.templates,
      operatorFiles: options.operatorFiles,
      edits: await editsOf(options),
      ...(options.languageServers === 'auto' && { languageServers: { allow: options.allowLanguageServer } }),
    }),
  // The same with the seven documented tools only.
  paiml: async ({ server, root, readOnly, sandbox, templates, operatorFiles }) =>
    (await import('@causeway/packs/toolkit')).toolkit({
      server,
      roots: root,
      readOnly,
      sandbox,
      templates,
      operatorFiles,
      documented: true,
    }),
  cassini: async ({ data }) => (await import('@causeway/packs/cassini')).cassini({ data }),
  threats: async () => (await import('@causeway/packs/threats')).threats(),
  // The same with one tool and twelve patterns, for the preset threats.
  tmkb: async ({ log }) => (await import('@causeway/packs/threats')).threats({ documented: true, log }),
}
