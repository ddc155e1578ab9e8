import type { Node } from 'jsonc-parser'

/** What one level is indented by. */
export const unitOf = (text: string): string => /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
/** How lines end. */
export const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

// A comma and a comment behind a member, on its line.
const BEHIND = /^(?<blank>[ \t]*)(?<comma>,?)(?<comment>[ \t]*(?:\/\/[^\r\n]*|\/\*[^\n]*?\*\/)?)/

/** A JSON text with one more member at the end of an object; the members before it, and comments on them, stay as they are. */
export function withMember(text: string, object: Node, member: readonly [string, unknown]): string {
  const last = object.children?.at(-1)
  return last ? afterLast(text, object, last, member) : intoEmpty(text, object, member)
}

function intoEmpty(text: string, { offset, length }: Node, [name, value]: readonly [string, unknown]): string {
  const eol = eolOf(text)
  const outer = indentAt(text, offset)
  const indent = `${outer}${unitOf(text)}`
  const rest = text.slice(offset + length - 1)
  return `${text.slice(0, offset + 1)}${eol}${indent}${formatted(text, name, value, indent)}${eol}${outer}${rest}`
}

function afterLast(text: string, { offset, length }: Node, last: Node, member: readonly [string, unknown]): string {
  const [name, value] = member
  const end = last.offset + last.length
  const { blank = '', comma = '', comment = '' } = BEHIND.exec(text.slice(end, offset + length - 1))?.groups ?? {}
  const behind = `${blank}${comma}${comment}`.trimEnd()
  const rest = text.slice(end + behind.length)
  const before = `${text.slice(0, end)}${comma === '' ? `,${behind}` : behind}`
  // An object in one line stays in one line.
  if (!text.slice(offset, end).includes('\n'))
    return `${before} ${JSON.stringify(name)}: ${JSON.stringify(value)}${comma}${rest}`
  const indent = indentAt(text, last.offset)
  return `${before}${eolOf(text)}${indent}${formatted(text, name, value, indent)}${comma}${rest}`
}

/** The indentation of the line that a place is in. */
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? ''

const formatted = (text: string, name: string, value: unknown, indent: string): string =>
  `${JSON.stringify(name)}: ${JSON.stringify(value, undefined, unitOf(text)).replaceAll('\n', `${eolOf(text)}${indent}`)}`
