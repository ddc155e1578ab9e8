// Runs examples/worker.ts in the runtimes that have it from the registry, beside the packed engine: Bun, Deno, and the
// runtime of Cloudflare Workers. Their programs are large, so nothing else installs them.
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { installInto, packAll, root } from './release/packages.js'

const PROGRAMS = {
  '@oven/bun-linux-x64': '1.4.2',
  '@deno/linux-x64-glibc': '2.9.4',
  '@cloudflare/workerd-linux-64': '1.20261103.1',
}
const folder = mkdtempSync(join(tmpdir(), 'causeway-hosts-'))
const program = path => join(folder, 'node_modules', path)

const HOSTS = {
  Bun: port => ({
    command: program('@oven/bun-linux-x64/bin/bun'),
    args: ['serve.ts'],
    files: {
      'serve.ts': `import worker from './worker.ts'\nBun.serve({ port: ${port}, hostname: '127.0.0.1', fetch: worker.fetch })`,
    },
  }),
  Deno: port => ({
    command: program('@deno/linux-x64-glibc/deno'),
    // Without any permission: it needs none.
    args: [
      'serve',
      '--no-check',
      '--node-modules-dir=manual',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      'worker.ts',
    ],
  }),
  Workers: async port => ({
    command: program('@cloudflare/workerd-linux-64/bin/workerd'),
    args: ['serve', 'worker.capnp'],
    files: { 'bundle.js': await bundled(), 'worker.capnp': workerd(port) },
  }),
}

const workerd = port => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "bundle.js")],
  compatibilityDate = "2026-01-01"
);
`

async function bundled() {
  const build = await rolldown({ input: join(folder, 'worker.ts'), platform: 'browser', cwd: folder })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  return output[0].code
}

function post(port, message) {
  const headers = {
    host: 'dice.example.workers.dev',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  return new Promise((resolve, reject) => {
    const sending = request({ port, host: '127.0.0.1', method: 'POST', path: '/rpc', headers }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    sending.on('error', reject).end(JSON.stringify(message))
  })
}

async function freePort() {
  const probe = createServer()
  await new Promise(resolve => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address()
  await new Promise(resolve => probe.close(resolve))
  return port
}

async function tried(name) {
  const port = await freePort()
  const { command, args, files = {} } = await HOSTS[name](port)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'roll_dice', arguments: { dice: 2 } } }
  try {
    for (let tries = 0; tries < 100; tries++) {
      const answer = await post(port, call).catch(() => undefined)
      if (answer?.status === 200 && /"text":"[1-6] [1-6]"/.test(answer.text)) return undefined
      if (answer) return `answered ${answer.status} ${answer.text}`
      await setTimeout(100)
    }
    return `did not answer: ${said.slice(0, 2000)}`
  } finally {
    child.kill('SIGKILL')
  }
}

try {
  const tarballs = join(folder, 'tarballs')
  installInto(folder, packAll(tarballs), tarballs, '@causeway/engine')
  const wanted = Object.entries(PROGRAMS).map(([name, version]) => `${name}@${version}`)
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...wanted], {
    cwd: folder,
  })
  copyFileSync(join(root, 'examples/worker.ts'), join(folder, 'worker.ts'))
  for (const name of Object.keys(HOSTS)) {
    const problem = await tried(name)
    console.log(`${name}: ${problem ?? 'serves a call'}`)
    if (problem) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
