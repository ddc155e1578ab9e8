// Sends bytes through the echo of the preset `basics` and back, and shows the memory of the server: node bench/streams.js [MB]
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'

const MB = 1024 * 1024
const total = Number(process.argv[2] ?? 1024) * MB
const bin = fileURLToPath(new URL('../packages/cli/bin/causeway.js', import.meta.url))
const args = [bin, 'serve', '--http', '--port', '0', '--preset', 'basics']
const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })

const url = await new Promise(resolve => {
  createInterface({ input: server.stdout }).on('line', line => {
    const found = /listening on (http:\S+)/.exec(line)?.[1]
    if (found) resolve(found)
  })
})
const memory = async () => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1]) / MB
}

const ws = new WebSocket(`${url.replace('http', 'ws')}/ws`)
await new Promise(resolve => ws.once('open', resolve))
const id = '00000000-0000-0000-0000-000000000001'
const say = (type, rest = {}) => ws.send(JSON.stringify({ type, id, timestamp: new Date().toISOString(), ...rest }))
let received = 0
let summary
ws.on('message', (data, isBinary) => {
  if (isBinary) received += data.length - 24
  else if (JSON.parse(data).id === id) summary = JSON.parse(data)
})
const closed = new Promise(resolve => ws.once('close', code => resolve(code)))

const before = await memory()
let most = before
const look = async () => {
  most = Math.max(most, await memory())
}
const watch = setInterval(() => void look(), 100)
const start = performance.now()
say('start', { meta: { method: 'system_binary_streams_duplex', binary: true } })
const frame = Buffer.alloc(24 + 64 * 1024)
for (let sent = 0; sent < total; sent += frame.length - 24) {
  // Masked in place, so the head is written anew.
  frame.fill(0, 0, 24)
  frame[15] = 1
  await new Promise(resolve => ws.send(frame, resolve))
}
say('done')
const code = await closed
clearInterval(watch)
const seconds = (performance.now() - start) / 1000
console.log(JSON.stringify({ code, received, summary: summary?.summary ?? summary?.error, seconds }))
console.log(
  `server memory: ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most (+${(most - before).toFixed(0)} MB)`,
)
server.kill()
