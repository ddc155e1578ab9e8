import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from '@causeway/engine'
import { MalformedLock, approved, changeLines, formatLock, judge, lockedFrom, parseLock } from '@causeway/gateway'
import type { Held, Lock, Upstream } from '@causeway/gateway'
import { actionNamed, isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { readConfig } from '../config/config.ts'
import { complain, counted, print, printJson } from '../terminal/print.ts'
import { lockFileOf, orDefault, readServersFiles } from '../config/files/servers-file.ts'
import { applyWithLogins, withGateway } from '../login/command-gateway.ts'
import { UsageError } from '../config/usage-error.ts'
import { VERSION } from '../version.ts'

const CHANGED = 10
const RISKIER = 11
const UNREACHED = 1
type Action = (place: Place, locked: Lock, args: Args) => Promise<number>

const ACTIONS: Readonly<Record<string, Action>> = { write, diff, approve, verify: diff }

interface Place {
  readonly file: string
  /** Those that could be asked. */
  readonly servers: readonly Upstream[]
  /** Could all of them? */
  readonly isComplete: boolean
}

/** Write down what servers offer, show what changed since, and approve it. */
export async function lock(args: Args): Promise<number> {
  const [action = 'write', name] = args.positionals
  const run = actionNamed(ACTIONS, action)
  const config = readConfig(args)
  const files = orDefault(config.servers)
  const file = lockFileOf(files)
  const locked = action === 'write' ? earlierLock(file) : readLock(file)
  return withGateway(quiet(), config, async gateway => {
    const { upstreams, problems } = readServersFiles(files)
    for (const problem of problems) complain(`causeway: ${problem}`)
    // Only the server that is approved has to run.
    await applyWithLogins(gateway, action === 'approve' ? upstreams.filter(one => one.name === name) : upstreams)
    if (action === 'approve' && gateway.servers.size === 0) {
      const wrong = name === undefined ? 'Name the server to approve.' : `There is no server '${name.slice(0, 100)}'.`
      throw new UsageError(`${wrong} Servers: ${upstreams.map(one => one.name).join(', ')}.`)
    }
    const all = [...gateway.servers.values()]
    const asked = await Promise.all(all.map(isAsked))
    const servers = all.filter((_, i) => asked[i])
    return await run({ file, servers, isComplete: servers.length === all.length }, locked, args)
  })
}

const quiet = (): ReturnType<typeof createServer> => createServer({ name: 'causeway', version: VERSION, log: () => {} })

/** Have a server say what it offers; one that cannot is named, and stops no other. */
async function isAsked(upstream: Upstream): Promise<boolean> {
  try {
    await upstream.refresh()
    return true
  } catch (error) {
    complain(`causeway: ${upstream.name}: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

function readLock(file: string): Lock {
  try {
    return parseLock(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof MalformedLock) throw new UsageError(`${file} cannot be used: ${error.message}.`, 4)
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UsageError(`There is no ${file}. Write it with: causeway lock write`, 4)
    throw error
  }
}

/** What a lock that is written again said before, if it can be read. */
function earlierLock(file: string): Lock {
  try {
    return existsSync(file) ? readLock(file) : {}
  } catch (error) {
    complain(`causeway: ${error instanceof Error ? error.message : String(error)}`)
    return {}
  }
}

/** Running gateways follow the file, and never see a part of it. */
function save(file: string, lock: Lock): void {
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, formatLock(lock))
  renameSync(fresh, file)
}

/** A server that cannot be asked keeps what was approved of it. */
async function write({ file, servers, isComplete }: Place, locked: Lock, args: Args): Promise<number> {
  const files = orDefault(readConfig(args).servers)
  const wanted = new Set(readServersFiles(files).upstreams.map(({ name }) => name))
  const earlier = Object.entries(locked).filter(([name]) => wanted.has(name))
  const entries = servers.flatMap(({ config, lists }) => (lists ? [[config.name, lockedFrom(config, lists)]] : []))
  save(file, Object.fromEntries([...earlier, ...entries]) as Lock)
  const tools = servers.reduce((sum, { lists }) => sum + (lists?.tools.length ?? 0), 0)
  await print(`${file}: ${counted(servers.length, 'server')}, ${counted(tools, 'tool')}`)
  return isComplete ? 0 : UNREACHED
}

type ServerChange = Held & { readonly server: string }

function changesIn(servers: readonly Upstream[], locked: Lock): ServerChange[] {
  return servers.flatMap(({ config, lists }) => {
    const known = Object.hasOwn(locked, config.name) ? locked[config.name] : undefined
    const held = lists ? judge(known, lists) : []
    return held.filter(({ change }) => change !== 'same').map(one => Object.assign({ server: config.name }, one))
  })
}

async function diff({ servers, isComplete }: Place, locked: Lock, args: Args): Promise<number> {
  const changes = changesIn(servers, locked)
  if (isGiven(args, 'json')) await printJson(changes)
  else await print(changes.length === 0 ? 'Nothing changed.' : changes.map(shown).join('\n'))
  if (changes.length === 0) return isComplete ? 0 : UNREACHED
  return changes.some(({ change }) => change === 'words' || change === 'riskier') ? RISKIER : CHANGED
}

/** A change with its old and new text, below each other. */
function shown({ server, kind, name, change, details, before, after }: ServerChange): string {
  const subject = [server, ...(kind === 'tool' || kind === name ? [] : [kind]), name].filter(word => word !== '')
  const head = `${subject.join(' ')}  ${change}: ${details.join(', ')}`.replaceAll(/\s*\n\s*/g, ' ')
  return [head, ...changeLines(before, after).map(line => `    ${line}`)].join('\n')
}

/** What is approved is shown, since the server may have changed in the meantime. */
async function approve({ file, servers }: Place, locked: Lock, { positionals }: Args): Promise<number> {
  const [, , ...names] = positionals
  const [{ config, lists } = {}] = servers
  if (!config || !lists) return UNREACHED
  const before = Object.hasOwn(locked, config.name) ? locked[config.name] : undefined
  const now = lockedFrom(config, lists)
  const entry = names.length === 0 ? now : approved(before, now, names)
  if (!entry)
    throw new UsageError(`${config.name} has no ${names.join(' or ')}: name tools, prompts, resources or instructions.`)
  const changes = changesIn(servers, locked)
  save(file, { ...locked, [config.name]: entry })
  const left = new Set(judge(entry, lists).map(({ kind, name }) => `${kind} ${name}`))
  const done = changes.filter(({ kind, name }) => !left.has(`${kind} ${name}`))
  await print(
    [...done.map(shown), `${file}: approved ${names.length === 0 ? config.name : names.join(', ')}`].join('\n'),
  )
  return 0
}
