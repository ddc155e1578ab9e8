// Executes the code samples of the threat patterns: the attack must work on the vulnerable ones and fail on the secure ones.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { text } from 'node:stream/consumers'
import { transformSync } from 'rolldown/utils'
import { parse } from 'yaml'
import { checks as typescriptChecks } from '../packages/packs/test/threats/samples/checks.js'
import { express, send, sendReal } from '../packages/packs/test/threats/samples/express.js'

const patterns = new URL('../packages/packs/src/threats/patterns/', import.meta.url)
const folder = fileURLToPath(new URL('../packages/packs/test/threats/samples/', import.meta.url))

/** What verify:samples runs for the threat patterns; `needs` names programs that must be installed. */
export const checks = [
  { name: 'threat patterns: Python samples', needs: ['python3'], run: python },
  { name: 'threat patterns: TypeScript samples', needs: [], run: typescript },
]

/** Every sample of a language by its key: the mitigation's id, and which example of it. */
async function samplesIn(language) {
  const files = (await readdir(patterns)).filter(name => name.endsWith('.yaml')).sort()
  const found = await Promise.all(
    files.map(async file => {
      const { mitigations } = parse(await readFile(new URL(file, patterns), 'utf8')).threat_pattern
      return mitigations.flatMap(({ id, code_examples = [] }) =>
        code_examples.flatMap((example, at) =>
          example.language === language ? [[at === 0 ? id : `${id}/${at + 1}`, codesOf(example)]] : [],
        ),
      )
    }),
  )
  return Object.fromEntries(found.flat())
}

const codesOf = ({ vulnerable_code, secure_code }) => ({
  ...(vulnerable_code && { vulnerable: vulnerable_code }),
  ...(secure_code && { secure: secure_code }),
})

async function python() {
  const child = spawn('python3', ['-B', 'run.py'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(await samplesIn('python')))
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`python3 ended with ${code}`)
  return judged(
    output
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  )
}

async function typescript() {
  const samples = await samplesIn('typescript')
  const worlds = [{ name: 'stand-in', express, send }, ...(await realExpress())]
  const runs = []
  for (const [key, codes] of Object.entries(samples)) {
    for (const [kind, code] of Object.entries(codes)) {
      for (const world of worlds.slice(0, code.includes("from 'express'") ? 2 : 1)) {
        runs.push({ name: `${key} ${kind} (${world.name})`, problem: await problemOf(key, kind, code, world) })
      }
    }
  }
  const idle = Object.keys(typescriptChecks).filter(key => !(key in samples))
  return judged([...runs, ...idle.map(name => ({ name, problem: 'is checked, but there is no such sample' }))])
}

async function realExpress() {
  const real = await import('express').catch(() => undefined)
  return real ? [{ name: 'Express itself', express: real.default, send: sendReal }] : []
}

async function problemOf(key, kind, code, world) {
  const check = typescriptChecks[key]
  if (!check) return 'has no check'
  try {
    const run = modules => load(code, { express: { default: world.express }, ...modules })
    const { attack, use } = await check({ run, send: world.send })
    if (!use) return 'what it is meant for does not work'
    if (attack !== (kind === 'vulnerable')) return attack ? 'the attack works' : 'the attack does not work'
    return null
  } catch (error) {
    return error.stack
  }
}

let loaded = 0

/** Runs a sample with the modules it imports made from plain objects. */
async function load(code, modules) {
  const world = `sample${++loaded}`
  globalThis[world] = modules
  const { code: plain, errors } = transformSync('sample.ts', code)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '))
  const linked = plain.replace(/from\s*["']([^"']+)["']/g, (_, name) => `from ${JSON.stringify(linkTo(world, name))}`)
  return import(asUrl(linked))
}

function linkTo(world, name) {
  const source = globalThis[world][name]
  if (!source) throw new Error(`a sample imports '${name}', which its check does not give`)
  const lines = Object.keys(source).map(key => {
    const value = `globalThis.${world}[${JSON.stringify(name)}].${key}`
    return key === 'default' ? `export default ${value}` : `export const ${key} = ${value}`
  })
  return asUrl(lines.join('\n'))
}

const asUrl = source => `data:text/javascript,${encodeURIComponent(source)}`

function judged(runs) {
  const bad = runs.filter(({ problem }) => problem)
  if (bad.length > 0) throw new Error(bad.map(({ name, problem }) => `${name}: ${problem}`).join('\n'))
  return `${runs.length} runs`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { name, run } of checks) console.log(`${name}: ${await run()}`)
}
