import { fault } from '@causeway/engine'
import { quote } from '../../support/quote.ts'

// 'literally', "with escapes", or plain characters and escapes; each right after the one before.
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|(?:[^\s"'\\]|\\["\\]|\\(?=[^]))+/
const WORD = new RegExp(`\\s*((?:${PIECE.source})+)\\s*`, 'gy')
const PIECES = new RegExp(PIECE, 'g')

/**
 * A command line as words, without a shell: blanks separate, single and double quotes hold together, a backslash makes
 * a quote or a backslash literal and is itself anywhere else.
 */
export function splitCommand(command: string): string[] {
  const found = [...command.matchAll(WORD)]
  const rest = command.slice(found.reduce((length, [whole]) => length + whole.length, 0)).trim()
  if (rest !== '') throw bad(command, rest === '\\' ? 'must not end with a backslash' : `has an unclosed ${rest[0]}`)
  const words = found.map(([, word = '']) => unquoted(word))
  if ((words[0] ?? '') === '') throw bad(command, 'must name a program')
  return words
}

const unquoted = (word: string): string =>
  word.replaceAll(
    PIECES,
    (whole, single?: string, double?: string) => single ?? (double ?? whole).replaceAll(/\\(["\\])/g, '$1'),
  )

const bad = (command: string, what: string): Error =>
  fault('invalid-arguments', `Parameter 'command' ${what}, got ${quote(command)}.`, {
    argument: 'command',
    sent: command.slice(0, 100),
  })
