import type { Edit } from './edits.ts'
import type { Surroundings } from './surroundings.ts'
import { STATEMENTS } from './words.ts'

/** What to change around one token, if it is such a case. */
export type Rule = (around: Surroundings, at: number) => Edit[] | Edit | undefined

/** The change that leaves nothing of a token. */
export const blank = ({ start, end }: Edit): Edit => ({ start, end })

/** Is it the name of something called, and no word of the language? */
export const isCall = ({ text, isWord }: Pick<Surroundings, 'text' | 'isWord'>, at: number): boolean =>
  isWord(at) && !STATEMENTS.has(text(at)) && text(at + 1) === '('
