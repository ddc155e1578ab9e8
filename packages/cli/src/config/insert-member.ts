import type { Node } from 'jsonc-parser'

/** What one level is indented by. */
export const unitOf = (text: string): string => /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
/** How lines end. */
export const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

// A comma and a comment behind a member, on its line.
const BEHIND = /^(?<blank>[ \t]*)(?<comma>,?)(?<comment>[ \t]*(?:\/\/[^\r\n]*|\/\*[^\n]*?\*\/)?)/

/** A JSON text with one more member at the end of an object; the members before it, and comments on them, stay as they are. */
export function withMember(text: string, object: Node, [name, value]: readonly [string, unknown]): string {
  const { offset, length, children = [] } = object
  const [eol, unit] = [eolOf(text), unitOf(text)]
  const close = offset + length - 1
  const last = children.at(-1)
  const outer = /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, offset))?.[1] ?? ''
  if (!last) {
    const member = formatted(name, value, { eol, unit, indent: `${outer}${unit}` })
    return `${text.slice(0, offset + 1)}${eol}${outer}${unit}${member}${eol}${outer}${text.slice(close)}`
  }
  const end = last.offset + last.length
  const { blank = '', comma = '', comment = '' } = BEHIND.exec(text.slice(end, close))?.groups ?? {}
  const behind = `${blank}${comma}${comment}`.trimEnd()
  const rest = text.slice(end + behind.length)
  const before = `${text.slice(0, end)}${comma === '' ? `,${behind}` : behind}`
  // An object in one line stays in one line.
  if (!text.slice(offset, end).includes('\n'))
    return `${before} ${JSON.stringify(name)}: ${JSON.stringify(value)}${comma}${rest}`
  const indent = /(?:^|\n)([ \t]*)$/.exec(text.slice(0, last.offset))?.[1] ?? `${outer}${unit}`
  return `${before}${eol}${indent}${formatted(name, value, { eol, unit, indent })}${comma}${rest}`
}

const formatted = (
  name: string,
  value: unknown,
  { eol, unit, indent }: { readonly eol: string; readonly unit: string; readonly indent: string },
): string => `${JSON.stringify(name)}: ${JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`)}`
