import { asRecord } from '../schema/schema.ts'
import type { Listed } from '../state/catalog.ts'

/** What a tool does to the world, in a word. */
export function effectOf({ definition }: Listed): { readonly word: string; readonly tone: string } {
  const { readOnlyHint, destructiveHint } = asRecord(definition.annotations)
  if (readOnlyHint === true) return { word: 'reads', tone: '' }
  if (destructiveHint === false) return { word: 'writes', tone: 'warn' }
  // A tool that says nothing about it must be taken for one that does.
  return { word: destructiveHint === true ? 'destroys' : 'may destroy', tone: 'bad' }
}
