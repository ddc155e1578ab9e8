import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectTo, greet } from '../../src/daemon/greeting.ts'

test('a daemon that is stopped, and so answers nothing, is not waited for without end', async () => {
  const socket = join(mkdtempSync(join(tmpdir(), 'cw-')), 's')
  const server = createServer(() => {}).listen(socket)
  await once(server, 'listening')
  try {
    const connection = await connectTo(socket)
    if (!connection) throw new Error('It listens')
    await expect(greet(connection, { want: 'status', version: '1' }, 50)).rejects.toThrow(
      'has not answered within 0.05 s',
    )
    expect(connection.destroyed).toBe(true)
  } finally {
    server.close()
  }
})
