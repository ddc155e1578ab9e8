// Analysis of code: lines per second and memory, beside other analysers where they are installed; churn beside git alone.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { machine, readCount, showRound } from './options.js'
import { pick, printTable, summarize } from './report.js'
import { writeHistory, writeTree } from './source-tree.js'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    lines: { type: 'string', default: '1000000' },
    quick: { type: 'boolean' },
  },
})
const rounds = values.quick ? 1 : readCount('rounds', values.rounds, 100)
const lines = values.quick ? 50_000 : readCount('lines', values.lines, 10_000_000)
const one = fileURLToPath(new URL('analyse-once.js', import.meta.url))
const installed = fileURLToPath(new URL('../node_modules/', import.meta.url))
const run = promisify(execFile)

/** A fresh process each time: its time, the lines it read and the most memory it had. */
async function inProcess(tool, args) {
  const child = spawn(process.execPath, [one, tool, JSON.stringify(args)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${tool} failed`)
  return JSON.parse(output)
}

/** Other analysers: where they come from, the trees they can read, and the command that reads one. */
const known = [
  {
    name: 'lizard',
    from: 'lizard of PyPI',
    reads: ['node', 'python-uv', 'rust', 'c'],
    command: 'lizard -t 2 --csv "$0"',
  },
  { name: 'radon', from: 'radon of Debian or PyPI', reads: ['python-uv'], command: 'radon cc -s -j "$0"' },
  {
    name: 'pmccabe',
    from: 'pmccabe of Debian',
    reads: ['c'],
    command: `find "$0" -name '*.c' -print0 | xargs -0 pmccabe`,
  },
]
const peers = known.filter(({ name }) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined)

async function peerOn({ command }, root, linesRead) {
  const began = performance.now()
  await run('sh', ['-c', command, root], { maxBuffer: 1 << 30 })
  return { speed: (linesRead / (performance.now() - began)) * 1000 }
}

async function complexity(title, root, toolchain) {
  const beside = peers.filter(({ reads }) => reads.includes(toolchain))
  const samples = Object.fromEntries(['causeway', ...beside.map(({ name }) => name)].map(name => [name, []]))
  for (let round = 0; round < rounds; round++) {
    showRound(rounds)(round)
    const { ms, cpuMs, result, memory } = await inProcess('analyze_complexity', {
      project_path: root,
      toolchain,
      format: 'json',
    })
    const { total_lines } = result.summary
    samples.causeway.push({ speed: (total_lines / ms) * 1000, work: (total_lines / cpuMs) * 1000, memory, total_lines })
    for (const peer of beside) samples[peer.name].push(await peerOn(peer, root, total_lines))
  }
  const read = samples.causeway[0].total_lines.toLocaleString('en-US')
  const yardsticks = beside.map(({ name }) => name)
  printTable(`${title}: ${read} lines`, summarize(pick(samples, 'speed'), yardsticks), { unit: 'lines/s' })
  // On a busy machine the first figure says how busy it is; this one less so.
  const of = field => summarize({ causeway: samples.causeway.map(run => run[field]) }, [])
  printTable('', of('work'), { unit: 'lines per second of one core' })
  printTable('', of('memory'), { unit: 'MB at most' })
}

async function churn(root) {
  const samples = { 'git log': [], causeway: [] }
  const args = ['log', '-z', '--numstat', '-M', '--format=%H%x00%aN', '--since=10 years ago', 'HEAD']
  for (let round = 0; round < rounds; round++) {
    showRound(rounds)(round)
    const began = performance.now()
    await run('git', ['-C', root, ...args], { maxBuffer: 1 << 30, encoding: 'buffer' })
    samples['git log'].push(performance.now() - began)
    const { ms } = await inProcess('analyze_code_churn', {
      project_path: root,
      period_days: 3650,
      format: 'json',
    })
    samples.causeway.push(ms)
  }
  printTable('Churn of 3,000 commits', summarize(samples, ['git log']), { unit: 'ms' })
}

console.log(machine)
for (const peer of known) if (!peers.includes(peer)) console.log(`skipped ${peer.name}: not installed (${peer.from})`)
const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'))
try {
  await complexity('What is installed here', installed, 'node')
  for (const toolchain of ['node', 'python-uv', 'rust', 'c']) {
    await complexity(`Generated, ${toolchain}`, await writeTree(join(folder, toolchain), toolchain, lines), toolchain)
  }
  await churn(await writeHistory(join(folder, 'history'), 3000))
} finally {
  await rm(folder, { recursive: true, force: true })
}
