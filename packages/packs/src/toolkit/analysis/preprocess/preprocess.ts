import { chooseBranches } from './choose.ts'
import { conditionalsOf } from './conditionals.ts'
import { apply } from './edits.ts'
import { repairMacros } from './macros.ts'
import { blank } from './rule.ts'
import { look } from './surroundings.ts'
import type { Surroundings } from './surroundings.ts'
import { tokensOf } from './tokens.ts'
import type { Preprocessed } from './tokens.ts'

/** What a preprocessed source is to the parser. */
export interface Readable {
  /** As long as the source and every line where it was, without what only the preprocessor of its language understands. */
  readonly text: string
  /** Where the brace ends that closes the one at a place. */
  readonly closing: ReadonlyMap<number, number>
}

/** Make a source readable for a parser that knows no preprocessor. */
export function preprocess(file: string, source: string, language: Preprocessed): Readable {
  const { blanked, kept } = chooseBranches(conditionalsOf(tokensOf(source, language), source), source)
  const around = look(kept, source)
  const edits = language === 'csharp' ? [] : repairMacros(around, { isC: isC(file, around) })
  return { text: apply(source, [...blanked.map(blank), ...edits]), closing: closingBraces(around) }
}

function closingBraces({ tokens, text, partner }: Surroundings): Map<number, number> {
  const closing = new Map<number, number>()
  for (const [at, { start }] of tokens.entries()) {
    const close = partner[at]!
    if (close > at && text(at) === '{') closing.set(start, tokens[close]!.end)
  }
  return closing
}

/** A header is C unless something in it cannot be. */
function isC(file: string, { tokens, text }: Surroundings): boolean {
  if (!/\.[ch]$/i.test(file)) return false
  if (file.endsWith('.c')) return true
  return !tokens.some((_, at) => {
    const next = text(at + 1)
    switch (text(at)) {
      case '::':
        return true
      case 'template':
        return next === '<'
      case 'public':
      case 'private':
      case 'protected':
        return next === ':'
      case 'namespace':
        return text(at + 2) === '{'
      default:
        return false
    }
  })
}
