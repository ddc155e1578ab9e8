import { attribute, extraWords, fileMacro, macroFunction, marker, markerCall, oldStyle } from './declarations.ts'
import type { Edit } from './edits.ts'
import type { Rule } from './rule.ts'
import { inString, loneMacro, memberPointer, newPointers, typeArgument, unendedCall } from './statements.ts'
import type { Surroundings } from './surroundings.ts'
import { ONLY_CPP } from './words.ts'

/** Make what macros leave behind readable for a parser that has never seen their definitions. */
export function repairMacros(around: Surroundings, { isC }: { isC: boolean }): Edit[] {
  const rules = isC ? [nameInC, ...RULES] : [...RULES, ...CPP_RULES]
  const edits: Edit[] = []
  for (let at = 0; at < around.tokens.length; at++) {
    for (const rule of rules) {
      const found = rule(around, at)
      if (found) edits.push(...[found].flat())
    }
  }
  return edits
}

/** In C `new` and `class` are names like any other. */
const nameInC: Rule = ({ tokens, text }, at) => {
  const word = text(at)
  return ONLY_CPP.has(word) ? { ...tokens[at]!, text: `_${word.slice(1)}` } : undefined
}

const RULES: readonly Rule[] = [
  inString,
  typeArgument,
  unendedCall,
  loneMacro,
  fileMacro,
  macroFunction,
  oldStyle,
  attribute,
  marker,
  markerCall,
  extraWords,
]
const CPP_RULES: readonly Rule[] = [newPointers, memberPointer]
