/** Words as they are compared: small letters, `tenantId` as `tenant_id`, endings such as -s, -ed and -ing taken off. */
export function wordsOf(text: string): string[] {
  return [...text.normalize('NFKC').matchAll(/[\p{L}\p{N}_]+/gu)].map(([word]) => stem(snake(word).toLowerCase()))
}

/** Only what begins small: `WebSocket` and `GraphQL` are words of their own. */
const snake = (word: string): string =>
  /^[a-z]+(?:[A-Z][a-z]+)+$/.test(word) ? word.replace(/[A-Z]/g, letter => `_${letter}`) : word

function stem(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word
  const one = singular(word)
  const bare = one.replace(/(?:ing|ed)$/, '')
  const root = bare !== one && bare.length > 2 && /[aeiouy]/.test(bare) ? bare.replace(/([bdgmnprt])\1$/, '$1') : one
  return root.length > 3 ? root.replace(/e$/, '') : root
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(?:ss|us|is)$/.test(word) ? word : word.replace(/s$/, '')
}

/** Phrases of several words, found in a text from left to right, at each place the longest. */
export class Phrases {
  readonly #byFirst = new Map<string, (readonly string[])[]>()

  constructor(phrases: readonly string[]) {
    for (const phrase of phrases) {
      const words = wordsOf(phrase)
      const [first = ''] = words
      this.#byFirst.set(
        first,
        [...(this.#byFirst.get(first) ?? []), words].sort((a, b) => b.length - a.length),
      )
    }
  }

  /** The different phrases that occur, each once; one inside a longer one does not count. */
  found(words: readonly string[]): (readonly string[])[] {
    const found = new Set<readonly string[]>()
    for (let at = 0; at < words.length;) {
      const phrase = this.#byFirst.get(words[at] ?? '')?.find(p => p.every((word, i) => words[at + i] === word))
      if (phrase) found.add(phrase)
      at += phrase?.length ?? 1
    }
    return [...found]
  }
}
