import type { Log, Pack } from '@causeway/engine'

/** What the operator decided that packs must know. */
export interface PackOptions {
  /** Who the server says it is. */
  readonly server: { readonly name: string; readonly version: string }
  readonly roots: readonly string[]
  readonly readOnly: boolean
  /** Run git in a sandbox. */
  readonly sandbox: boolean
  readonly allowCommands: readonly string[]
  /** Which remotes git may talk to: none, all, or those at addresses that patterns name. */
  readonly allowRemote: boolean | readonly string[]
  /** Let git use the repository that a root lies in. */
  readonly repositoryAbove: boolean
  /** Variables that commands and builds see besides the usual. */
  readonly environment: readonly string[]
  readonly templates: readonly string[]
  readonly data: string | undefined
  /** Bytes a result may have. */
  readonly resultBytes: number
  /** Names this process where several serve the same clients. */
  readonly processName?: string | undefined
  readonly log: Log
}

/** How each pack is made; its code is loaded only when it is served. */
export const packs: Readonly<Record<string, (options: PackOptions) => Promise<Pack>>> = {
  basics: async ({ server: { version } }) => (await import('@causeway/packs/basics')).basics({ version }),
  workstation: async options =>
    (await import('@causeway/packs/workstation')).workstation({
      server: options.server,
      roots: options.roots,
      readOnly: options.readOnly,
      sandbox: options.sandbox,
      allowCommand: options.allowCommands,
      allowRemote: options.allowRemote,
      repositoryAbove: options.repositoryAbove,
      environment: options.environment,
      processName: options.processName,
      limits: { resultBytes: options.resultBytes },
    }),
  toolkit: async ({ server, roots, readOnly, sandbox, templates }) =>
    (await import('@causeway/packs/toolkit')).toolkit({ server, roots, readOnly, sandbox, templates }),
  // The same with the seven documented tools only.
  paiml: async ({ server, roots, readOnly, sandbox, templates }) =>
    (await import('@causeway/packs/toolkit')).toolkit({
      server,
      roots,
      readOnly,
      sandbox,
      templates,
      documented: true,
    }),
  cassini: async ({ data }) => (await import('@causeway/packs/cassini')).cassini({ data }),
  threats: async () => (await import('@causeway/packs/threats')).threats(),
  // The same with one tool and twelve patterns, for the preset threats.
  tmkb: async ({ log }) => (await import('@causeway/packs/threats')).threats({ documented: true, log }),
}
