import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launch } from './browser.ts'
import { takePictures } from './pictures.ts'

// Makes the pictures of the documents from a server as anybody would start it, in this repository, with two servers behind.
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const causeway = join(root, 'packages/cli/bin/causeway.js')
const folder = mkdtempSync(join(tmpdir(), 'causeway-pictures-'))
const servers = join(folder, 'mcp.json')
const numbers = { command: process.execPath, args: [causeway, 'serve', '--stdio', '--pack', 'basics'] }
writeFileSync(servers, JSON.stringify({ mcpServers: { numbers, tickets: { command: '/opt/tickets/server' } } }))
const shown = process.env.PICTURES_ROOT ?? root
const args = [causeway, 'serve', '--http', '--port', '0', '--root', shown, '--servers', servers, '--data', folder]
const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
let said = ''
for await (const chunk of child.stdout) {
  said += String(chunk)
  if (said.includes('Stop with Ctrl-C')) break
}
const [, url = ''] = /listening on (\S+)/.exec(said) ?? []
const browser = await launch()
try {
  await takePictures(browser, url, {
    [url]: 'http://127.0.0.1:5000',
    [`${process.execPath} ${causeway}`]: 'causeway',
    [causeway]: '/opt/causeway/bin/causeway.js',
    [process.execPath]: 'node',
    [servers]: '/home/me/mcp.json',
    [folder]: '/home/me/.causeway',
    [shown.replace(/\/$/, '')]: '/home/me/project',
  })
} finally {
  await browser.close()
  const ended = once(child, 'exit')
  child.kill()
  await ended
  rmSync(folder, { recursive: true })
}
