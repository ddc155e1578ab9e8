import type { Pack } from '@causeway/engine'

/** How each pack is made; its code is loaded only when it is served. */
export const packs: Readonly<Record<string, (about: { version: string }) => Promise<Pack>>> = {
  basics: async about => (await import('@causeway/packs/basics')).basics(about),
}
