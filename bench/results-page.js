import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './report.js'
import { root } from './targets.js'

/** What each row is, with the version that was measured. */
const NAMES = {
  'node -e 0': () => 'Node that does nothing',
  floor: () => 'floor: bare Node, no protocol',
  causeway: () => '**Causeway**',
  'sdk-v2': () => version('official SDK', '@modelcontextprotocol/server'),
  'sdk-v1': () => version('official SDK', '@modelcontextprotocol/sdk'),
  tmcp: () => version('tmcp', 'tmcp'),
  fastmcp: () => version('fastmcp', 'fastmcp'),
  direct: () => 'no gateway',
  'bare Node hop': () => 'floor: a hop in bare Node',
  'via stdio': () => '**Causeway**, to a server over stdio',
  'via http': () => '**Causeway**, to a server over HTTP',
  'mcp-proxy': () => version('mcp-proxy', 'mcp-proxy'),
  supergateway: () => version('supergateway', 'supergateway'),
  'SDK 2.x, naive': () => 'a hop written with SDK 2.x',
}

/** The page of a run: ratios with their spread over the rounds. */
export function page(results) {
  return `# Results

Written by \`npm run bench\` on ${results.date}, commit ${results.commit}: ${results.machine}. Do not edit.

Servers take turns, ${results.stdio.options.rounds} rounds with a fresh process each. A figure is the median of the rounds, a range the least and the most of them. Compare the
ratios; calls per second belong to the machine. [README.md](README.md) says what each server is, what is measured, and how far to trust it.

![Calls per second of Causeway and others](../docs/images/bench.svg)

## stdio

${results.stdio.load.map(({ depth, rows }) => `### ${depth === 1 ? 'One call at a time' : `${depth} calls in flight`}\n\n${rates(rows)}`).join('\n\n')}

### Start and memory

${start(results.stdio)}

## HTTP

${results.http.cases.map(one => `### ${era(one)}\n\n${rates(one.rows, ['server CPU per call', row => `${row.cpu.toFixed(1)} µs`])}`).join('\n\n')}

## Gateways

The same call straight to a server and through a gateway in front of it. All answer over HTTP.

${gateways(results.gateway)}
`
}

/** What a row is called. */
export function nameOf(name) {
  return NAMES[name]?.() ?? name
}

/** Which of the HTTP cases this is, in words. */
export function era({ era: which, connections }) {
  const many = connections === 1 ? 'one connection' : `${connections} connections`
  return which === 'stateful' ? `Sessions (2025-11-25), ${many}` : `Without sessions (2026-07-28), ${many}`
}

function rates(rows, [head, cell] = []) {
  const floor = rows.find(({ name }) => name === 'floor')
  const ours = rows.find(({ name }) => name === 'causeway')
  return table(
    ['', 'calls per second', 'range', 'to the floor', 'Causeway to it', ...(head ? [head] : [])],
    rows.map(row => [
      nameOf(row.name),
      whole(row.median),
      `${whole(row.min)} – ${whole(row.max)}`,
      spread(row, floor),
      row === ours ? '' : spread(ours, row),
      ...(cell ? [cell(row)] : []),
    ]),
  )
}

function start({ startup, memory }) {
  const [bare] = startup
  return table(
    ['', 'spawn to first answer', 'range', 'to Node', 'idle memory'],
    startup.map(row => [
      nameOf(row.name),
      `${row.median.toFixed(0)} ms`,
      `${row.min.toFixed(0)} – ${row.max.toFixed(0)} ms`,
      times(row.median / bare.median),
      memoryOf(memory, row.name),
    ]),
  )
}

function memoryOf(memory = [], name) {
  const row = memory.find(one => one.name === name)
  return row ? `${row.median.toFixed(0)} MB` : '–'
}

function gateways({ cases }) {
  return [1, 32]
    .map(at => {
      const rows = cases.filter(row => row.at === at)
      const direct = rows.find(({ name }) => name === 'direct')
      const title = at === 1 ? '### One call at a time' : `### ${at} calls at a time`
      const body = rows.map(row => [
        nameOf(row.name),
        whole(row.perSecond),
        times(row.perSecond / direct.perSecond),
        `${row.p50.toFixed(3)} ms`,
        row === direct ? '' : `${(row.p50 - direct.p50).toFixed(3)} ms`,
        `${row.p99.toFixed(2)} ms`,
      ])
      return `${title}\n\n${table(['', 'calls per second', 'to no gateway', 'p50', 'added at p50', 'p99'], body)}`
    })
    .join('\n\n')
}

/** The ratio of two rows round by round: its median, and the least and the most. */
export function ratios(row, other) {
  const each = row.values.map((value, at) => value / other.values[at])
  return { mid: median(each), min: Math.min(...each), max: Math.max(...each) }
}

function spread(row, other) {
  if (row === other) return '1'
  const { mid, min, max } = ratios(row, other)
  return `${digits(mid)} (${digits(min)} – ${digits(max)})`
}

function table(head, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map((_, at) => (at === 0 ? '---|' : '--:|')).join('')}`, ...rows.map(line)].join('\n')
}

function version(name, library) {
  const file = join(root, 'bench/peers/node_modules', library, 'package.json')
  return `${name} ${JSON.parse(readFileSync(file, 'utf8')).version}`
}

const whole = value => Math.round(value).toLocaleString('en-US')
const digits = value => (value >= 10 ? value.toFixed(1) : value.toFixed(2))
const times = value => `${digits(value)} times`
