import { flags } from '../../packages/cli/src/config/flags.ts'
import { variableOf } from '../../packages/cli/src/config/settings.ts'

const names = new Set(flags.map(({ name }) => name))
const known = new Set([...names].map(variableOf))

/** Variables that would keep the command from starting. */
export const unknownVariables = (variables: readonly string[]): string[] =>
  variables.filter(name => name.startsWith('CAUSEWAY_') && !known.has(name))

/** Flags that would keep the command from starting. */
export const unknownFlags = (words: readonly string[]): string[] =>
  words.filter(word => word.startsWith('--') && !names.has(word.slice(2)))
