import type { Pack } from '@causeway/engine'

/** What the operator decided that packs must know. */
export interface PackOptions {
  readonly version: string
  readonly roots: readonly string[]
  readonly readOnly: boolean
  readonly allowCommands: readonly string[]
  readonly templates: readonly string[]
  readonly data: string | undefined
}

/** How each pack is made; its code is loaded only when it is served. */
export const packs: Readonly<Record<string, (options: PackOptions) => Promise<Pack>>> = {
  basics: async ({ version }) => (await import('@causeway/packs/basics')).basics({ version }),
}
