import { hasUnseen, jsonEscape, visibleJson } from './visible-json.ts'

// Words that every shell passes on as they are.
const PLAIN = /^[\w./:-][\w@+:,./-]*$/
// A path of Windows: its shells have double quotes only, and a POSIX shell changes nothing in them here.
const WINDOWS_PATH = /^[a-z]:(?:\\[\w .()-]*[\w.()-])+$/i

/** A text as one word of a POSIX shell, whatever is in it: it is never expanded, split or run. */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text
  if (hasUnseen(text)) return `$'${Array.from(text, octal).join('')}'`
  return WINDOWS_PATH.test(text) ? `"${text}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Quotes are written by number too, so that a shell without this form of quotes still reads one word. */
const octal = (character: string): string =>
  hasUnseen(character) || character === "'" || character === '\\'
    ? Array.from(new TextEncoder().encode(character), byte => `\\${byte.toString(8).padStart(3, '0')}`).join('')
    : character

/** JSON as one word of a shell. Its quotes are escaped as JSON has it, which holds in shells of Windows too. */
export const shellJson = (value: unknown): string => `'${visibleJson(value).replaceAll("'", jsonEscape)}'`
