import { isObject, visibleJson } from '@causeway/engine/internal'
import { print, printExact } from '../terminal/print.ts'

type Json = Readonly<Record<string, unknown>>

/** What a call came to: its structured value if it has one, else its text, else its content. */
export function valueOf({ content, structuredContent }: Json): unknown {
  if (structuredContent !== undefined) return structuredContent
  const blocks = Array.isArray(content) ? content : []
  return blocks.every(block => isObject(block) && block.type === 'text') ? textOf(blocks) : blocks
}

/** The texts of content blocks. */
export const textOf = (blocks: readonly unknown[]): string =>
  blocks.map(block => (isObject(block) && typeof block.text === 'string' ? block.text : '')).join('')

/** A program gets the result as it is, a person one that is safe to look at. */
export function printResult(value: unknown): Promise<void> {
  const text = typeof value === 'string' ? value : visibleJson(value)
  return process.stdout.isTTY ? print(text) : printExact(text)
}
