interface Described {
  readonly name: string
  readonly description: string
}

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
// `getUserName` and `get_user_name` are the same words.
const wordsOfName = (name: string): ReadonlySet<string> =>
  new Set(wordsIn(name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_.-]/g, ' ')))

const FILLERS = new Set('a an and for from in is it of on or the this to tool with'.split(' '))
const SHORTEST = 5
const ALIKE = 0.85
const MOST_COMPARED = 400
const LONGEST = 5000

/** Does a description say no more than the name? One that is missing says nothing, which is another matter. */
export function isVague(name: string, description: string): boolean {
  const words = wordsIn(description)
  if (words.length === 0) return false
  const known = wordsOfName(name)
  const stem = (word: string): string => word.replace(/(?:ing|ed|es|s)$/, '')
  const stems = new Set([...known].map(stem))
  return words.every(word => FILLERS.has(word) || stems.has(stem(word)))
}

/** Pairs of tools whose descriptions have nearly the same words. */
export function alikePairs(tools: readonly Described[]): readonly (readonly [string, string])[] {
  const described = tools
    .slice(0, MOST_COMPARED)
    .map(({ name, description }) => ({ name, words: new Set(wordsIn(description.slice(0, LONGEST))) }))
    .filter(({ words }) => words.size >= SHORTEST)
  return described.flatMap((one, i) =>
    described.slice(i + 1).flatMap(other => (alike(one.words, other.words) ? [[one.name, other.name] as const] : [])),
  )
}

function alike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (Math.min(one.size, other.size) / Math.max(one.size, other.size) < ALIKE) return false
  const shared = [...one].filter(word => other.has(word)).length
  return shared / (one.size + other.size - shared) >= ALIKE
}
