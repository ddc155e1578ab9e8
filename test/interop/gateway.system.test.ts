import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createServer } from '@causeway/engine'
import type { ServerOptions } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import { Gateway, readServers } from '@causeway/gateway'
import { afterEach, describe, expect, test } from 'vitest'
import { upstreamScript } from '../support/upstream-script.ts'
import type { Answer } from './clients.ts'
import { httpModes } from './http-clients.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function entryOf(sdk: string, door: string): Promise<object> {
  const script = upstreamScript(sdk)
  if (door === 'stdio') return { command: process.execPath, args: [script] }
  const child = spawn(process.execPath, [script, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
  cleanups.push(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { url }
}

/** A gateway over HTTP in front of one server that has been seen; its URL. */
async function gatewayTo(up: object, options: Partial<ServerOptions> = {}): Promise<string> {
  const server = createServer({ name: 'gateway', version: '1.0.0', log: () => {}, ...options })
  const gateway = new Gateway(server)
  cleanups.push(() => gateway.close())
  const around = { file: '/servers.json', variables: () => undefined, readText: () => undefined }
  await gateway.apply(readServers({ mcpServers: { up } }, around).upstreams)
  await gateway.servers.get('up')?.refresh()
  const service = await serveHttp(server, { port: 0 })
  cleanups.push(() => service.close())
  return new URL('/mcp', service.url).href
}

const textOf = ({ content }: Answer): string => String((content as { text: unknown }[])[0]?.text)

const cells = ['sdk-v1', 'sdk-v2'].flatMap(sdk => ['stdio', 'http'].map(door => [sdk, door] as const))

describe.each(cells)('official clients in front of %s over %s', (sdk, door) => {
  test.each(httpModes.filter(({ name }) => name.includes('Streamable HTTP')))('$name', async mode => {
    const url = await gatewayTo(await entryOf(sdk, door))
    const talk = await mode.connect(url, { name: 'Ada' })
    cleanups.push(() => talk.close())
    expect(talk.version).toBe(mode.version)
    expect(await talk.tools()).toContain('up__ask')
    expect(textOf(await talk.call('up__echo', { text: 'hi' }))).toBe('hi')
    expect(textOf(await talk.call('up__ask'))).toMatch(/^\[.*Ada.*Ada.*\]$/)
    expect(textOf(await talk.call('up__runs'))).toBe('1')
    expect(textOf(await talk.call('up__think'))).toContain('so be it')
    expect(textOf(await talk.call('up__folders'))).toBe('file:///home/ada')
    const steps: number[] = []
    await talk.call('up__steps', {}, { onprogress: ({ progress }) => steps.push(progress) })
    expect(steps).toEqual([1, 2])
    expect(await talk.read('note://more/3')).toMatchObject({ contents: [{ text: 'note 3' }] })
    const greeting = await talk.ask('prompts/get', { name: 'up__greet', arguments: { who: 'Ada' } })
    expect(JSON.stringify(greeting)).toContain('Hello Ada')
    const ending = new AbortController()
    const forever = talk.call('up__forever', {}, { signal: ending.signal, onprogress: () => ending.abort() })
    await expect(forever).rejects.toThrow(/abort/i)
    await expect.poll(async () => textOf(await talk.call('up__stopped'))).toBe('1')
  })
})

describe.each(['sdk-v1', 'sdk-v2'])('official clients that find and call what %s has', sdk => {
  test.each(httpModes.filter(({ name }) => name.includes('Streamable HTTP')))('$name', async mode => {
    const url = await gatewayTo(await entryOf(sdk, 'stdio'), { listing: { search: 'on' } })
    const talk = await mode.connect(url, { name: 'Ada' })
    cleanups.push(() => talk.close())
    const call = (name: string, options = {}, args = {}): Promise<Answer> =>
      talk.call('call_tool', { name, arguments: args }, options)
    expect(await talk.tools()).toEqual(['find_tools', 'describe_tool', 'call_tool'])
    expect(textOf(await talk.call('find_tools', { query: 'echo' }))).toMatch(/^up__echo\(text: string\)/m)
    expect(textOf(await call('up__echo', {}, { text: 'hi' }))).toBe('hi')
    expect(textOf(await call('up__ask'))).toMatch(/^\[.*Ada.*Ada.*\]$/)
    expect(textOf(await call('up__think'))).toContain('so be it')
    const steps: number[] = []
    await call('up__steps', { onprogress: ({ progress }: { progress: number }) => steps.push(progress) })
    expect(steps).toEqual([1, 2])
    const ending = new AbortController()
    const forever = call('up__forever', { signal: ending.signal, onprogress: () => ending.abort() })
    await expect(forever).rejects.toThrow(/abort/i)
    await expect.poll(async () => textOf(await call('up__stopped'))).toBe('1')
    const unknown = await call('up__ecoh')
    expect([unknown.isError, textOf(unknown)]).toEqual([true, expect.stringContaining("'up__echo'")])
  })
})
