import type { Params } from '@causeway/engine'
import { expect } from 'vitest'
import { connections } from '../support/carriers.ts'
import { scenario } from '../support/scenario.ts'
import { showcase } from '../support/showcase.ts'

const LONG = 'x'.repeat(20_000)
const argument = { name: LONG, value: LONG }

/** Every place where a client's own words could come back. */
const REQUESTS: readonly (readonly [string, Params])[] = [
  ['tools/call', { name: LONG }],
  ['tools/call', { name: 'rich', arguments: { [LONG]: LONG, a: LONG } }],
  ['prompts/get', { name: LONG }],
  [
    'prompts/get',
    { name: 'brief', arguments: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [LONG + i, 5])) },
  ],
  ['resources/read', { uri: `x://${LONG}` }],
  ['resources/subscribe', { uri: `x://${LONG}` }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: LONG }, argument }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'brief' }, argument }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: `x://${LONG}` }, argument }],
  ['tools/list', { cursor: LONG }],
  ['logging/setLevel', { level: LONG }],
  [LONG, {}],
  ['tools/call', { name: 'rich', inputResponses: { [LONG]: 5 } }],
  ['tools/call', { name: 'rich', requestState: LONG }],
  ['tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': LONG } }],
  ['tools/list', { _meta: { 'io.modelcontextprotocol/logLevel': LONG } }],
]

// What is too long for a header never gets as far as an echo.
scenario(
  'what a client sends comes back cut, wherever it is echoed',
  { server: showcase, over: connections },
  async peer => {
    for (const [method, params] of REQUESTS) {
      const answer = await peer.request(method, params)
      if (!peer.stateless && answer.result && !('isError' in answer.result)) continue
      expect(JSON.stringify(answer).length, `${method.slice(0, 50)} ${Object.keys(params).join()}`).toBeLessThan(8000)
    }
  },
)
