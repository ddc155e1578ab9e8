import { readFileSync } from 'node:fs'
import { serveHttp } from '@causeway/engine/http'
import { expect, test } from 'vitest'
import { weatherIn } from './client.ts'
import { server } from './weather.ts'

test('the client of the documentation gets a forecast', async () => {
  const service = await serveHttp(server, { port: 0 })
  try {
    expect(await weatherIn(new URL('/mcp', service.url).href, 'Oslo')).toEqual({ celsius: 21 })
  } finally {
    await service.close()
  }
})

test('the documentation shows it as it is', () => {
  const page = readFileSync(new URL('../docs/client.md', import.meta.url), 'utf8')
  expect(page).toContain(readFileSync(new URL('client.ts', import.meta.url), 'utf8').trim())
})
