import { HELPER_TOOLS } from '@causeway/engine/browser'

/** How many there are, counted as the command counts them: tools that lead to others are none. */
export const countOf = (items: readonly { readonly kind: string; readonly key: string }[]): number =>
  items.filter(({ kind, key }) => kind !== 'tool' || !HELPER_TOOLS.has(key)).length
