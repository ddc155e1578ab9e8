import type { Log, Pack } from '@causeway/engine'

/** What the operator decided that packs must know. */
export interface PackOptions {
  readonly version: string
  readonly roots: readonly string[]
  readonly readOnly: boolean
  readonly allowCommands: readonly string[]
  readonly templates: readonly string[]
  readonly data: string | undefined
  readonly log: Log
}

/** How each pack is made; its code is loaded only when it is served. */
export const packs: Readonly<Record<string, (options: PackOptions) => Promise<Pack>>> = {
  basics: async ({ version }) => (await import('@causeway/packs/basics')).basics({ version }),
  threats: async () => (await import('@causeway/packs/threats')).threats(),
  // The same, as the document has it: one tool, twelve patterns.
  tmkb: async ({ log }) => (await import('@causeway/packs/threats')).threats({ documented: true, log }),
}
