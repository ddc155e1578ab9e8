// Writes docs/tour.md: a day's work on a repository in real calls, with the tokens that each took.
// node scripts/tour.js EXPRESS [--write]: EXPRESS is a clone of expressjs/express; it is cloned again, and not changed.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { estimateTokens } from '@causeway/engine'
import { RemoteServer, childTransport, plainEnvironment } from '@causeway/engine/client'
import { STEPS } from './tour-steps.js'

const COMMIT = 'a3714473feb3d2908add734d340e7755fd85e0a3'
const BINARY = new URL('../packages/cli/bin/causeway.js', import.meta.url).pathname
const MOST_SHOWN = 160
const SHELL_MS = 300_000
// What npm says about the settings of the machine it runs on.
const OWN_NOISE = /^npm warn Unknown (?:user|env|project) config/

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } })
const [source = ''] = positionals
if (!existsSync(join(source, '.git')) && !existsSync(join(source, 'objects'))) {
  console.error(
    'usage: node scripts/tour.js EXPRESS [--write]\nEXPRESS: a clone of https://github.com/expressjs/express',
  )
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-tour-'))
const root = join(folder, 'express')
/** Everything is done in a clone that is gone afterwards. */
async function tour() {
  execFileSync('git', ['clone', '--quiet', '--no-local', source, root])
  execFileSync('git', ['checkout', '--quiet', '-B', 'master', COMMIT], { cwd: root })
  for (const [key, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.org'],
  ])
    execFileSync('git', ['config', key, value], { cwd: root })
  const args = [BINARY, 'serve', '--stdio', '--root', root, '--allow-command', 'npm run *', '--log-level', 'error']
  const server = await RemoteServer.connect(
    { open: () => childTransport({ command: process.execPath, args, env: plainEnvironment(), cwd: root }) },
    { client: { name: 'tour', version: '1.0.0' } },
  )
  try {
    const tools = await server.list('tools/list')
    const listed = tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0)
    const done = []
    for (const step of STEPS) done.push(await make(server, step))
    return page(done, { count: tools.length, listed })
  } finally {
    await server.close()
  }
}

/** What the shell would have shown is measured before the call, in the same state. */
async function make(server, step) {
  const shell = step.shell && besides(step.shell)
  const result = await server.callTool(step.tool, step.args, { timeoutMs: SHELL_MS })
  if ((result.isError ?? false) !== (step.fails ?? false))
    throw new Error(`${step.tool} ${step.fails ? 'did not fail' : 'failed'}: ${textOf(result)}`)
  const asked = estimateTokens(JSON.stringify({ name: step.tool, arguments: step.args }))
  return { ...step, shell, asked, answer: textOf(result), answered: estimateTokens(textOf(result)) }
}

const textOf = ({ content }) =>
  content
    .map(({ text = '' }) => text)
    .join('\n')
    .replaceAll(root, '/work/express')

function besides(words) {
  const [program, ...args] = words
  const { stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    timeout: SHELL_MS,
    maxBuffer: 1e9,
  })
  return {
    line: words.map(word => (/\s/.test(word) ? `'${word}'` : word)).join(' '),
    tokens: estimateTokens(stdout + stderr),
  }
}

const number = value => value.toLocaleString('en')

function page(steps, { count, listed }) {
  const asked = steps.reduce((sum, step) => sum + step.asked, 0)
  const answered = steps.reduce((sum, step) => sum + step.answered, 0)
  const compared = steps.filter(({ shell }) => shell)
  const [ours, theirs] = [
    compared.reduce((sum, step) => sum + step.answered, 0),
    compared.reduce((sum, { shell }) => sum + shell.tokens, 0),
  ]
  return [
    '# A worked example: a day’s work on an unknown repository',
    '',
    'The repository is express (Node), the task a small one of the kind that takes a day: `res.redirect()` without an address only warns, and then sends',
    'people to “undefined”; it should fail instead. Every call below was made exactly as shown, by `node scripts/tour.js CLONE --write`, which wrote this page.',
    'The tokens are estimates of what a model reads (`estimateTokens` of the engine): of the call, and of the text of its result. If a shell would have been the',
    'alternative, its command was run in the same state, and its output is counted too. Of long results, a part is shown.',
    '',
    `**In all:** ${steps.length} calls, ${number(asked)} tokens sent, ${number(answered)} received; the list of ${count} tools took ${number(listed)}, once. In the ${compared.length}`,
    `steps that were also done in a shell, the results took ${number(ours)} tokens, the output of the shell ${number(theirs)}.`,
    '',
    ...steps.flatMap(section),
    '## The bill',
    '',
    '| call | asked | answered | in a shell | |',
    '|---|---|---|---|---|',
    ...steps.map(
      ({ tool, asked: a, answered: b, shell }) =>
        `| \`${tool}\` | ${number(a)} | ${number(b)} | ${shell ? number(shell.tokens) : ''} | ${shell ? `\`${shell.line}\`` : ''} |`,
    ),
    `| **all** | **${number(asked)}** | **${number(answered)}** | | |`,
    '',
  ].join('\n')
}

function section({ heading, why, tool, args, answer, answered, asked, from = 0, show, shell }) {
  const lines = answer
    .trimEnd()
    .split('\n')
    .filter(line => !OWN_NOISE.test(line))
  const shown = lines
    .slice(from, from + show)
    .map(line => (line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)} …` : line))
  const more = lines.length > show ? [`… ${lines.length - shown.length} more lines`] : []
  const beside = shell ? `; \`${shell.line}\` would have been ${number(shell.tokens)}` : ''
  return [
    ...(heading ? [`## ${heading}`, ''] : []),
    `${why} ${number(asked)} + ${number(answered)} tokens${beside}.`,
    '',
    '```',
    `${tool} ${inShort(args)}`,
    '',
    ...shown,
    ...more,
    '```',
    '',
  ]
}

/** Long arguments are shown by their beginning. */
const inShort = args =>
  JSON.stringify(args, (_, value) =>
    typeof value === 'string' && value.length > 60 ? `${value.slice(0, 57)}…` : value,
  )

try {
  const text = await tour()
  if (values.write) writeFileSync(new URL('../docs/tour.md', import.meta.url), text)
  else console.log(text)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
