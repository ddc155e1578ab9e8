// What a terminal could take as a command or a key, or does not show.
const UNSEEN = '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{DI}]'

/** Does a text have characters that a terminal does not show as they are? */
export const hasUnseen = (text: string): boolean => ANY.test(text)

const ANY = new RegExp(UNSEEN, 'u')
// The line ends of JSON with an indent stay.
const IN_JSON = new RegExp(`(?!\n)${UNSEEN}`, 'gu')

/** JSON in which every character can be seen: the others are written as escapes, which any parser reads back. */
export const visibleJson = (value: unknown, indent = 0): string =>
  (JSON.stringify(value, null, indent) ?? 'null').replaceAll(IN_JSON, jsonEscape)

/** A character as JSON and JavaScript escape it. */
export const jsonEscape = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
