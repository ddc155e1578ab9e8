import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newToken } from '@causeway/engine/http'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { rights as rightsCommand } from '../../src/commands/rights.ts'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { assembly } from '../../src/serve/assemble.ts'
import { listen } from '../../src/serve/listen-http.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-rights-'))
const file = join(folder, 'config.json')
const [ada, bob] = [newToken('ada'), newToken('bob', ['sums'])]
writeFileSync(join(folder, 'tokens'), `${ada.line}\n${bob.line}\n`)
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})
afterAll(() => rmSync(folder, { recursive: true }))

const write = (content: unknown): void => writeFileSync(file, JSON.stringify(content))
const configured = (): ReturnType<typeof readConfig> => {
  const flags = ['--http', '--port', '0', '--pack', 'basics', '--log-level', 'silent', '--search', 'off']
  return readConfig(readArgs(['serve', ...flags, '--config', file, '--token-file', join(folder, 'tokens')]), {})
}

async function served(): Promise<string> {
  const config = configured()
  const assembled = await assembly(config)
  const service = await listen({ ...assembled, store: undefined }, config)
  cleanups.push(
    () => service.close(),
    () => assembled.feed?.close(),
  )
  return service.url
}

const rpc = async (url: string, token: string, method: string, params: object = {}): Promise<unknown> => {
  const response = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return response.json()
}
const sum = { number1: 1, number2: 2 }
const rules = [
  { who: ['scope:sums'], allow: { tools: ['add_*'] } },
  { who: ['ada'], allow: { tools: ['*'] }, deny: { tools: ['add_numbers'] } },
]

describe('the key rights', () => {
  test('decides over HTTP what is listed and called, and a change holds at once', async () => {
    write({ rights: rules })
    const url = await served()
    const listed = async (token: string): Promise<unknown> => {
      const answer = (await rpc(url, token, 'tools/list')) as { result: { tools: { name: string }[] } }
      return answer.result.tools.map(({ name }) => name)
    }
    const call = (token: string): Promise<unknown> => rpc(url, token, 'add_numbers', sum)
    expect(await listed(bob.token)).toEqual(['add_numbers'])
    expect(await listed(ada.token)).not.toContain('add_numbers')
    expect(await call(bob.token)).toMatchObject({ result: { result: 3 } })
    const refused = "'ada' may not use the tool 'add_numbers'"
    expect(await call(ada.token)).toMatchObject({ error: { message: expect.stringContaining(refused) as string } })
    const batch = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` },
      body: JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'add_numbers', params: sum }]),
    })
    expect(await batch.text()).not.toContain('"result"')
    write({ rights: [{ who: ['ada'], allow: { tools: ['add_numbers'] } }] })
    await vi.waitFor(async () => expect(await call(ada.token)).toMatchObject({ result: { result: 3 } }))
    expect(await listed(bob.token)).toEqual([])
    write({ rights: 'nonsense' })
    expect(await listed(ada.token)).toEqual(['add_numbers'])
    write({})
    await vi.waitFor(async () => expect(await call(bob.token)).toMatchObject({ result: { result: 3 } }))
  })

  test('and the flag --approve want the approval of a person', async () => {
    write({ approve: 'add_*', rights: [{ who: ['*'], allow: { tools: ['*'] }, approve: ['multiply_*'] }] })
    const url = await served()
    const refused = { content: [{ text: expect.stringContaining('cannot ask one') as string }] }
    const call = async (name: string, args: object): Promise<unknown> =>
      rpc(url, ada.token, 'tools/call', { name, arguments: args })
    expect(await call('add_numbers', sum)).toMatchObject({ result: refused })
    expect(await call('multiply_numbers', sum)).toMatchObject({ result: refused })
  })

  test('is refused with the place of a mistake and the nearest key', () => {
    const problem = (rights: unknown): string => {
      write({ rights })
      try {
        configured()
        return ''
      } catch (error) {
        return String(error)
      }
    }
    expect(problem({})).toContain("'rights' must be an array of rules")
    expect(problem([{ who: ['*'], alow: {} }])).toContain("unknown key 'rights[0].alow'. Did you mean 'allow'?")
    expect(problem([{ who: [] }])).toContain("'rights[0].who' is empty")
    expect(problem([{ allow: {} }])).toContain("'rights[0].who' must be an array of texts, and is missing")
    expect(problem([{ who: ['*'], allow: { tool: [] } }])).toContain("Did you mean 'tools'?")
    expect(problem([{ who: ['*'], allow: { tools: [1] } }])).toContain("'rights[0].allow.tools[0]' must be a text")
    expect(problem([{ who: ['*'], rate: 'fast' }])).toMatch(/'rights\[0\].rate' must be BURST\/RATE.*fast/)
    expect(problem([{ who: ['*'], timeout: '5 years' }])).toMatch(/'rights\[0\].timeout' must be a time/)
    expect(problem([{ who: ['*'], approve: 'write' }])).toContain("Did you mean 'writes'?")
    expect(problem([{ who: ['*'], concurrency: 0 }])).toContain("'rights[0].concurrency' must be a whole number")
  })
})

describe('causeway rights explain', () => {
  const explain = async (...words: string[]): Promise<[number, string]> => {
    const said: string[] = []
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text, ...rest) => {
      said.push(String(text))
      const done = rest.find(one => typeof one === 'function') as ((error?: Error) => void) | undefined
      done?.()
      return true
    })
    try {
      const code = await rightsCommand(readArgs(['rights', 'explain', '--config', file, ...words]))
      return [code, said.join('')]
    } finally {
      spy.mockRestore()
    }
  }

  test('prints the rule that decides, and exits with 0 or 1', async () => {
    write({ rights: rules })
    expect(await explain('--who', 'bob', '--with-scope', 'sums', '--tool', 'add_numbers')).toEqual([
      0,
      'bob may use the tool add_numbers: rights[0] allows it.\n{"who":["scope:sums"],"allow":{"tools":["add_*"]}}\n',
    ])
    expect(await explain('--who', 'ada', '--tool', 'add_numbers')).toEqual([
      1,
      expect.stringContaining('rights[1] denies it'),
    ])
    expect(await explain('--who', '*', '--prompt', 'x')).toEqual([
      1,
      expect.stringContaining('no rule that names this caller'),
    ])
    const json = await explain('--who', 'ada', '--tool', 'echo', '--json')
    expect([json[0], JSON.parse(json[1])]).toMatchObject([0, { allowed: true, rule: 1 }])
    write({})
    expect(await explain('--who', 'ada', '--tool', 'x')).toEqual([0, expect.stringContaining('nothing is restricted')])
  })

  test('asks for what is missing', async () => {
    write({ rights: rules })
    await expect(explain('--tool', 'x')).rejects.toThrow('Name the caller')
    await expect(explain('--who', 'ada')).rejects.toThrow('Name one thing')
    await expect(explain('--who', '*', '--with-scope', 'a', '--tool', 'x')).rejects.toThrow('has no scopes')
  })
})
