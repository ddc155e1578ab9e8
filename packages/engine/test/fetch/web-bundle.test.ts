import { readFileSync, readdirSync, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { describe, expect, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { ask, enveloped } from '../support/http-client.ts'
import { STATELESS } from '../support/peer.ts'

const dist = fileURLToPath(new URL('../../dist/web/', import.meta.url))
const BUILT = needs('npm run build', existsSync(`${dist}fetch.js`))

/** A server as somebody writes it who deploys to a runtime without Node's modules. */
const SERVER = `
import { createServer, fetchHandler, tool } from '@causeway/engine/fetch'
const add = tool({
  name: 'add',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
}, ({ a, b }) => a + b)
const sure = tool({ name: 'sure' }, async (_, ctx) => {
  const asked = await ctx.elicit('go', { message: 'Sure?', schema: { type: 'object', properties: { yes: { type: 'boolean' } } } })
  return JSON.stringify(asked)
})
export const answer = fetchHandler(createServer({ name: 'web', version: '1' }).add(add, sure))
`

// What runtimes for the web have in common: nothing of Node is among it.
const WEB = [
  'AbortController AbortSignal Blob DOMException Event EventTarget FormData Headers ReadableStream Request Response',
  'TextDecoder TextEncoder TransformStream URL URLSearchParams WritableStream atob btoa clearInterval clearTimeout',
  'console crypto fetch performance queueMicrotask setInterval setTimeout structuredClone',
].flatMap(names => names.split(' '))

/** Bundle it as for a browser, and run it where there is nothing but the web. */
async function deploy(): Promise<(request: Request) => Promise<Response>> {
  const entry = '\0server'
  const build = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      { name: 'server', resolveId: id => resolved(id, entry), load: id => (id === entry ? SERVER : undefined) },
    ],
  })
  const { output } = await build.generate({ format: 'iife', name: 'deployed', codeSplitting: false })
  await build.close()
  const [{ code, imports }] = output
  expect(imports).toEqual([])
  const context = createContext(Object.fromEntries(WEB.map(name => [name, Reflect.get(globalThis, name)])))
  return runInContext(`${code}; deployed.answer`, context)
}

const resolved = (id: string, entry: string): string | undefined => {
  if (id === entry) return id
  return id === '@causeway/engine/fetch' ? `${dist}fetch.js` : undefined
}

const post = (message: object): Request =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': STATELESS,
      'mcp-method': 'tools/call',
      'mcp-name': (message as { params: { name: string } }).params.name,
    },
    body: JSON.stringify(message),
  })

const call = (name: string, more: object, capabilities = {}): Request =>
  post(ask(1, 'tools/call', enveloped({ name, ...more }, capabilities)))

describe('for runtimes without Node', () => {
  test('no module of Node is imported or asked for', BUILT, () => {
    const files = readdirSync(dist).filter(name => name.endsWith('.js'))
    expect(files).toContain('fetch.js')
    for (const file of files) {
      const code = readFileSync(dist + file, 'utf8')
      const imported = [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?[`'"]([\w:./@-]+)[`'"]/g)].map(([, id]) => id)
      expect(
        imported.filter(id => !id?.startsWith('./')),
        file,
      ).toEqual([])
      expect(code, file).not.toMatch(/["'`]node:|\brequire\(/)
    }
  })

  test('a bundle for browsers serves calls where there is nothing but the web', BUILT, async () => {
    const answer = await deploy()
    const response = await answer(call('add', { arguments: { a: 2, b: 3 } }))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: '5' }] } })
    const wrong = await (await answer(call('add', { arguments: { a: 'two', b: 3 } }))).json()
    expect(wrong).toMatchObject({ result: { isError: true } })
  })

  test('what clients carry between rounds is sealed there too', BUILT, async () => {
    const answer = await deploy()
    const asked = await (await answer(call('sure', {}, { elicitation: {} }))).json()
    const { requestState } = (asked as { result: { requestState: string } }).result
    const inputResponses = { go: { action: 'accept', content: { yes: true } } }
    const done = await (await answer(call('sure', { inputResponses, requestState }, { elicitation: {} }))).json()
    expect(JSON.stringify(done)).toContain('accept')
    const forged = `${requestState.slice(0, -4)}AAAA`
    const refused = await (
      await answer(call('sure', { inputResponses, requestState: forged }, { elicitation: {} }))
    ).json()
    expect(refused).toHaveProperty('error')
  })
})
