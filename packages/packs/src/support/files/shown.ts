import { relative } from 'node:path'
import type { Jail } from './jail.ts'

/** A path as answers show it: from the first root, or whole if it lies in another one. */
export function shown({ roots: [first = ''] }: Pick<Jail, 'roots'>, path: string): string {
  const short = relative(first, path)
  if (short === '') return '.'
  return short === '..' || short.startsWith('../') || short.startsWith('..\\') ? path : short
}
