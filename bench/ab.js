import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { buildOf } from './ab-builds.js'
import { cases } from './ab-cases.js'
import { machine, readCount } from './options.js'
import { median } from './report.js'

// Two revisions against each other: each pair of fresh processes takes many short turns, old and new in alternation, so
// that whatever else the machine does hits both. A case ends when its spread is below what is looked for.
const usage = `node bench/ab.js OLD NEW [--case WORDS] [--turns N] [--pairs N] [--spread PERCENT] [--json FILE]
OLD and NEW are commits; . is the working tree.`
const leastPairs = 4

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    case: { type: 'string', default: '' },
    turns: { type: 'string', default: '24' },
    pairs: { type: 'string', default: '12' },
    spread: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
})
const chosen = cases.filter(({ name }) => name.toLowerCase().includes(values.case.toLowerCase()))
if (positionals.length !== 2 || chosen.length === 0) {
  console.error(chosen.length === 0 ? `No case matches '${values.case}'. ${caseNames()}` : usage)
  process.exit(2)
}
const turns = readCount('turns', values.turns, 1000)
const mostPairs = readCount('pairs', values.pairs, 200)
const wanted = readCount('spread', values.spread, 50)

console.log(machine)
const builds = positionals.map(buildOf)
console.log(`old: ${builds[0].name}, new: ${builds[1].name}; the ratio is new to old, below 1 is faster`)
const results = []
for (const one of chosen) results.push(await compare(one))
if (values.json) writeFileSync(values.json, JSON.stringify({ machine, builds, results }, null, 2) + '\n')

async function compare(one) {
  const pairs = []
  while (pairs.length < mostPairs) {
    pairs.push(await measurePair(one, pairs.length % 2 === 1))
    if (pairs.length >= leastPairs && spreadOf(pairs.map(({ wall }) => wall)) <= wanted) break
  }
  const wall = describe(pairs.map(pair => pair.wall))
  const cpu = describe(pairs.map(pair => pair.cpu))
  const old = median(pairs.map(({ oldWall }) => oldWall))
  console.log(
    `${one.name.padEnd(32)} wall ${wall}   CPU ${cpu}   old ${old.toFixed(2)} µs per call, ${pairs.length} pairs`,
  )
  return { name: one.name, wall, cpu, pairs }
}

// Turns go old, new, new, old: what drifts during a pair falls on both alike.
async function measurePair(one, isReversed) {
  const order = isReversed ? [1, 0] : [0, 1]
  const servers = []
  try {
    for (const at of order) servers[at] = await one.open(builds[at].folder, turns)
    const samples = [[], []]
    for (let turn = 0; turn < turns; turn++) {
      for (const at of turn % 2 === 0 ? order : order.toReversed()) samples[at].push(await servers[at].turn())
    }
    const middle = (at, field) => median(samples[at].map(sample => sample[field]))
    const ratio = field => middle(1, field) / middle(0, field)
    return { wall: ratio('wall'), cpu: ratio('cpu'), oldWall: middle(0, 'wall') }
  } finally {
    for (const server of servers) await server?.close()
  }
}

/** Twice the standard error of the mean, in percent: the true ratio lies this close in about 19 of 20 runs. */
function spreadOf(ratios) {
  const mean = meanOf(ratios)
  const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / (ratios.length - 1)
  return (200 * Math.sqrt(variance / ratios.length)) / mean
}

function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function describe(ratios) {
  return `${meanOf(ratios).toFixed(3)} ± ${(spreadOf(ratios) / 100).toFixed(3)}`
}

function caseNames() {
  return `Cases: ${cases.map(({ name }) => name).join('; ')}.`
}
