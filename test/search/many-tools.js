const VERBS =
  'create read update delete list search send move copy merge open close assign export import sync rename archive restore validate'.split(
    ' ',
  )
const NOUNS =
  'issue file branch commit message channel invoice customer refund event calendar page block table column database query container pod deployment secret token user group role policy alert metric dashboard trace log bucket object queue topic ticket sprint board card contact campaign order product'.split(
    ' ',
  )
const WORDS =
  'the of for in a by with to from all new existing given named current related repository workspace project account team service region optional filter limit cursor format time status owner label priority state reason result details default whether only after before'.split(
    ' ',
  )

/** A small generator, so that every run has the same tools. */
function numbers(seed) {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export function manyTools(count, sources) {
  const next = numbers(7)
  const pick = words => words[next(words.length)]
  const sentence = length => Array.from({ length }, () => pick(next(3) === 0 ? NOUNS : WORDS)).join(' ')
  const toolAt = i => {
    const [verb, noun] = [pick(VERBS), pick(NOUNS)]
    const properties = {}
    for (let arg = 0; arg < 5; arg++) {
      properties[`${pick(NOUNS)}_${pick(WORDS)}`] = { type: 'string', description: sentence(8) }
    }
    return {
      name: `${verb}_${noun}_${i}`,
      description: `${verb} ${noun}: ${sentence(20)}`,
      inputSchema: { type: 'object', properties },
    }
  }
  const size = Math.ceil(count / sources)
  return Array.from({ length: sources }, (_, at) => ({
    name: `source_${at}`,
    tools: Array.from({ length: Math.min(size, count - at * size) }, (__, i) => toolAt(at * size + i)),
  }))
}

export const QUERIES = [
  'create an issue in the repository',
  'refund the customer',
  'which pods are running',
  'send a message to the team channel',
  'delete the old branch',
  'find invoices of last month that were not paid',
  'restart the deployment and show the log',
  'list tables of the database',
]
