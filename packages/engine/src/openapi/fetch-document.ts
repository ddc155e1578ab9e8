import { DocumentProblem } from './document.ts'
import { exchangeWith } from './exchange.ts'

const MOST_BYTES = 64_000_000
const WITHIN_MS = 60_000

/** The text of the document at a URL that the operator named; redirected within its host only. */
export async function fetchDocument(address: string): Promise<string> {
  const url = new URL(address)
  const exchange = exchangeWith({ url, isTrusted: true }, { maxBytes: MOST_BYTES, timeoutMs: WITHIN_MS })
  const headers = { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5', 'accept-encoding': 'identity' }
  const { status, body } = await exchange({ method: 'GET', url, headers })
  if (status !== 200) throw new DocumentProblem(`${url.origin}${url.pathname} answered ${status}`)
  return body.toString('utf8')
}
