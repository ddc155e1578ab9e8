/** A search in SQLite's own words: every word must be found, or at least one; and what must not be there. Either may be empty. */
export interface Search {
  readonly all: string
  readonly any: string
  readonly without: string
}

const PART = /(-?)(?:"([^"]*)"?|([^\s"]+))/g
const HAS_WORD = /[\p{L}\p{N}]/u
/** Words that are everywhere say nothing; they count only inside quotes or when there are no others. */
const COMMON = new Set('a an and are as at be by for from in is it of on or that the this to was with'.split(' '))
const MOST = 32

/** Read what a person typed: words, "phrases", beginnings such as occult*, and -words to leave out; undefined if there is none of these. */
export function readSearch(query: string): Search | undefined {
  const parts = [...query.matchAll(PART)]
    .map(([, minus, phrase, word = '']) => ({
      isOut: minus === '-',
      isPhrase: phrase !== undefined,
      text: phrase ?? word,
    }))
    .filter(({ text }) => HAS_WORD.test(text))
    .slice(0, MOST)
  const wanted = parts.filter(part => !part.isOut)
  const telling = wanted.filter(({ isPhrase, text }) => isPhrase || !COMMON.has(text.toLowerCase()))
  const said = (telling.length > 0 ? telling : wanted).map(quoted)
  const without = parts
    .filter(part => part.isOut)
    .map(quoted)
    .join(' OR ')
  if (said.length === 0) return without === '' ? undefined : { all: '', any: '', without }
  return { all: `(${said.join(' AND ')})`, any: `(${said.join(' OR ')})`, without }
}

// Shorter beginnings would match nearly everything.
const BEGINNING = /^[^*]{3,}\*$/

/** In quotes nothing is an operator; only a star at the end of a word stays one. */
function quoted({ text, isPhrase }: { readonly text: string; readonly isPhrase: boolean }): string {
  const isStart = !isPhrase && BEGINNING.test(text)
  // Control characters would end the query early.
  const plain = text.replaceAll(/["*]|\p{Cc}/gu, ' ')
  return `"${plain}"${isStart ? ' *' : ''}`
}
