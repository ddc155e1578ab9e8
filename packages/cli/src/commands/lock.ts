import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from '@causeway/engine'
import { Gateway, MalformedLock, formatLock, judge, lockedFrom, parseLock } from '@causeway/gateway'
import type { Held, Lock, LockedUpstream, Upstream } from '@causeway/gateway'
import { actionNamed, isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { readConfig } from '../config/config.ts'
import { complain, counted, print, printJson, table } from '../terminal/print.ts'
import { gatewayFolder, lockFileOf, readServersFiles } from '../config/servers-file.ts'
import { UsageError } from '../config/usage-error.ts'
import { VERSION } from '../version.ts'

const CHANGED = 10
const RISKIER = 11
type Action = (place: Place, locked: Lock, args: Args) => Promise<number>

const ACTIONS: Readonly<Record<string, Action>> = { write, diff, approve, verify: diff }

interface Place {
  readonly file: string
  readonly gateway: Gateway
  readonly servers: readonly Upstream[]
}

/** Write down what servers offer, show what changed since, and approve it. */
export async function lock(args: Args): Promise<number> {
  const [action = 'write'] = args.positionals
  const run = actionNamed(ACTIONS, action)
  const config = readConfig(args)
  const { servers: files } = config
  if (files.length === 0) throw new UsageError(`Name the file of servers. Usage: ${args.command.usage}`)
  const file = lockFileOf(files)
  const locked = action === 'write' ? {} : readLock(file)
  const gateway = new Gateway(quiet(), { folder: gatewayFolder(config.data) })
  try {
    const { upstreams, problems } = readServersFiles(files)
    for (const problem of problems) complain(`causeway: ${problem}`)
    await gateway.apply(upstreams)
    const servers = [...gateway.servers.values()]
    await Promise.all(servers.map(started))
    return await run({ file, gateway, servers }, locked, args)
  } finally {
    await gateway.close()
  }
}

const quiet = (): ReturnType<typeof createServer> => createServer({ name: 'causeway', version: VERSION, log: () => {} })

async function started(upstream: Upstream): Promise<void> {
  try {
    await upstream.refresh()
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), 1)
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

async function write({ file, gateway, servers }: Place): Promise<number> {
  const entries = servers.map(({ config, lists }) => [config.name, lists && lockedFrom(config, lists)] as const)
  writeFileSync(file, formatLock(Object.fromEntries(entries) as Lock))
  for (const { config, lists } of servers) if (lists) gateway.keep(config, lists)
  const tools = servers.reduce((sum, { lists }) => sum + (lists?.tools.length ?? 0), 0)
  await print(`${file}: ${counted(servers.length, 'server')}, ${counted(tools, 'tool')}`)
  return 0
}

async function diff({ gateway, servers }: Place, locked: Lock, args: Args): Promise<number> {
  const changes = servers.flatMap(({ config, lists }) => {
    const held = lists ? judge(locked[config.name], lists, gateway.kept(config)?.tools) : []
    return held.filter(({ change }) => change !== 'same').map(one => Object.assign({ server: config.name }, one))
  })
  if (isGiven(args, 'json')) await printJson(changes)
  else if (changes.length === 0) await print('Nothing changed.')
  else {
    const rows = changes.map(
      one => [`${one.server} ${one.name}`.trim(), `${one.change}: ${one.details.join(', ')}`] as const,
    )
    await print(table(rows))
  }
  return exitOf(changes)
}

function exitOf(changes: readonly Held[]): number {
  if (changes.length === 0) return 0
  return changes.some(({ change }) => change === 'words' || change === 'riskier') ? RISKIER : CHANGED
}

async function approve(place: Place, locked: Lock, { positionals }: Args): Promise<number> {
  const [, name, ...tools] = positionals
  const { file, gateway, servers } = place
  const managed = servers.find(({ config }) => config.name === name)
  if (name === undefined || !managed?.lists) {
    const known = servers.map(({ config }) => config.name).join(', ')
    const wrong = name === undefined ? 'Name the server to approve.' : `There is no server '${name.slice(0, 100)}'.`
    throw new UsageError(`${wrong} Servers: ${known}.`)
  }
  const now = lockedFrom(managed.config, managed.lists)
  const entry = tools.length === 0 ? now : partly(locked[name], now, tools)
  writeFileSync(file, formatLock({ ...locked, [name]: entry }))
  gateway.keep(managed.config, managed.lists)
  await print(`${file}: approved ${tools.length === 0 ? name : tools.join(', ')}`)
  return 0
}

/** Only these tools as they are now, everything else as it was. */
function partly(before: LockedUpstream | undefined, now: LockedUpstream, tools: readonly string[]): LockedUpstream {
  const kept: Record<string, LockedUpstream['tools'][string]> = { ...before?.tools }
  for (const tool of tools) {
    const print = now.tools[tool]
    if (print) kept[tool] = print
    else if (tool in kept) delete kept[tool]
    else throw new UsageError(`There is no tool '${tool.slice(0, 100)}'. Tools: ${Object.keys(now.tools).join(', ')}.`)
  }
  return { ...(before ?? { ...now, prompts: {}, templates: {} }), tools: kept }
}
