import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import { expect, onTestFinished, test } from 'vitest'

test('a socket whose path would be cut off is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-socket-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const server = createServer({ name: 's', version: '1' })
  await expect(serveHttp(server, { socket: join(folder, 'x'.repeat(150)) })).rejects.toThrow(
    /Its path has \d+ bytes; a socket may have 10\d/,
  )
  expect(readdirSync(folder)).toEqual([])
  const fits = join(folder, 'a.sock')
  const service = await serveHttp(server, { socket: fits })
  expect(existsSync(fits)).toBe(true)
  await service.close()
})
