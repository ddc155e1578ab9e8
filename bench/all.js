// Everything in one run: Causeway, the floors and the peers over stdio, over HTTP and as gateways, one after the other, and the page
// and the picture of it. Anyone can run it again: npm run build, npm ci --prefix bench/peers, npm run bench.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { machine } from './options.js'
import { chart } from './results-chart.js'
import { page } from './results-page.js'
import { root } from './targets.js'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const parts = [
  { name: 'stdio', args: ['bench/stdio.js'] },
  { name: 'http', args: ['bench/http.js'] },
  { name: 'gateway', args: ['bench/gateway.js', '--only', 'hops'] },
]

const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-all-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const results = { machine, commit: git('rev-parse', '--short', 'HEAD'), date: new Date().toISOString().slice(0, 10) }
for (const { name, args } of parts) {
  const file = join(folder, `${name}.json`)
  await run([...args, '--json', file, ...(values.quick ? ['--quick'] : [])])
  results[name] = JSON.parse(readFileSync(file, 'utf8'))
}
// What a quick run says is not worth keeping.
if (values.quick) console.log(page(results))
else {
  writeFileSync(join(root, 'bench/RESULTS.md'), page(results))
  writeFileSync(join(root, 'docs/images/bench.svg'), chart(results))
  console.log('\nbench/RESULTS.md and docs/images/bench.svg are written.')
}

function run(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', code => (code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`))))
  })
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
