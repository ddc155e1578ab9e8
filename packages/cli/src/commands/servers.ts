import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, didYouMean } from '@causeway/engine'
import { stderrFile } from '@causeway/gateway'
import type { UpstreamConfig } from '@causeway/gateway'
import { actionNamed, isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { readConfig } from '../config/config.ts'
import { applyWithLogins, withGateway } from '../login/command-gateway.ts'
import type { Config } from '../config/config.ts'
import { complain, counted, print, printJson, table } from '../terminal/print.ts'
import { gatewayFolder, orDefault, readServersFiles } from '../config/files/servers-file.ts'
import { UsageError, sentence } from '../config/usage-error.ts'
import { withCredentials } from '../login/open-credentials.ts'
import { loginLine, shownLogins } from '../login/shown-login.ts'
import { VERSION } from '../version.ts'
import { setDisabled } from './edit-servers.ts'
import { importServers } from './import-servers.ts'

interface Work {
  readonly config: Config
  readonly files: readonly string[]
  readonly name: string | undefined
  readonly json: boolean
}

const ACTIONS: Readonly<Record<string, (work: Work) => Promise<number>>> = {
  list,
  status,
  logs,
  restart,
  enable: work => toggle(work, false),
  disable: work => toggle(work, true),
  import: importFrom,
}

/** List, check, restart and edit the servers in a file. */
export async function servers(args: Args): Promise<number> {
  const [action = 'list', name] = args.positionals
  const config = readConfig(args)
  const run = actionNamed(ACTIONS, action)
  const files = orDefault(config.servers, action === 'import')
  return run({ config, files, name, json: isGiven(args, 'json') })
}

function readAll({ files }: Work): readonly UpstreamConfig[] {
  const { upstreams, problems } = readServersFiles(files)
  for (const problem of problems) complain(`causeway: ${problem}`)
  return upstreams
}

const where = ({ target }: UpstreamConfig): string =>
  target.kind === 'stdio' ? [target.command, ...target.args].join(' ') : target.url

// A file with entries that cannot be used ends the command with this, as any configuration that cannot be used does.
const UNUSABLE = 4

async function list({ config, files, json }: Work): Promise<number> {
  const { upstreams, problems, unusable } = readServersFiles(files)
  const logins = await loginsOf(config, upstreams)
  const shown = upstreams.map(one => ({
    name: one.name,
    type: one.target.kind,
    target: where(one),
    disabled: one.disabled,
    logins: logins.get(one.name),
  }))
  const rest = unusable.map(one => ({ name: one.name, unusable: one.problems }))
  if (json) await printJson([...shown, ...rest])
  else {
    await print(
      table([
        ...shown.map((one): [string, string] => [
          one.name,
          [`${one.disabled ? 'disabled  ' : ''}${one.type}  ${one.target}`, ...loginLines(logins, one.name)].join(
            '\n    ',
          ),
        ]),
        ...rest.map((one): [string, string] => [one.name, `cannot be used: ${one.unusable.join('; ')}`]),
      ]),
    )
  }
  for (const problem of problems) complain(`causeway: ${problem}`)
  return problems.length > 0 ? UNUSABLE : 0
}

/** Each is started, since only that tells. */
function status(work: Work): Promise<number> {
  const server = createServer({ name: 'causeway', version: VERSION, log: () => {} })
  return withGateway(server, work.config, async gateway => {
    const { upstreams, problems } = readServersFiles(work.files)
    for (const problem of problems) complain(`causeway: ${problem}`)
    await applyWithLogins(gateway, upstreams)
    await Promise.allSettled([...gateway.servers.values()].map(managed => managed.refresh()))
    const logins = await loginsOf(work.config, upstreams)
    const shown = gateway.status.map(one => Object.assign({}, one, { logins: logins.get(String(one.name)) }))
    if (work.json) await printJson(shown)
    else await print(table(gateway.status.map(one => [String(one.name), describe(one, logins)])))
    const isWell = gateway.status.every(({ state, clashes }) => state === 'running' && clashes === undefined)
    return isWell && problems.length === 0 ? 0 : 1
  })
}

function describe(status: Readonly<Record<string, unknown>>, logins: Logins): string {
  const { name, state, speaks, tools, problem, findings = [], clashes = [] } = status
  const known = loginLines(logins, String(name))
  if (state !== 'running')
    return [`${String(state)}  ${typeof problem === 'string' ? problem : ''}`, ...known].join('\n    ')
  const lines = [
    `running  speaks ${String(speaks)}, ${counted(Number(tools), 'tool')}`,
    ...(findings as string[]),
    ...(clashes as string[]).map(clash => `not offered: ${clash}`),
    ...known,
  ]
  return lines.join('\n    ')
}

type Logins = ReadonlyMap<string, ReturnType<typeof shownLogins>>

/** Who is logged in to which server, by its name; only servers with a URL can have logins. */
async function loginsOf(config: Config, upstreams: readonly UpstreamConfig[]): Promise<Logins> {
  const remote = upstreams.flatMap(({ name, target }) => (target.kind === 'stdio' ? [] : [{ name, url: target.url }]))
  if (remote.length === 0) return new Map()
  return withCredentials(config, async credentials => {
    const found = remote.map(async ({ name, url }) => [name, shownLogins(await credentials.logins(url))] as const)
    return new Map((await Promise.all(found)).filter(([, logins]) => logins.length > 0))
  })
}

const loginLines = (logins: Logins, name: string): readonly string[] =>
  (logins.get(name) ?? []).map(login => loginLine(login))

function named(work: Work): UpstreamConfig {
  const all = readAll(work)
  const found = all.find(({ name }) => name === work.name)
  if (found) return found
  const names = all.map(({ name }) => name)
  const wrong = work.name === undefined ? 'Name a server.' : `There is no server '${work.name.slice(0, 100)}'.`
  throw new UsageError(sentence(wrong, didYouMean(work.name ?? '', names), `Servers: ${names.join(', ')}.`))
}

async function logs(work: Work): Promise<number> {
  const { name } = named(work)
  const file = stderrFile(gatewayFolder(work.config.data), name)
  try {
    await print(readFileSync(file, 'utf8').trimEnd())
  } catch {
    await print(`${name} has written nothing.`)
  }
  return 0
}

async function restart(work: Work): Promise<number> {
  const { name } = named(work)
  const folder = join(gatewayFolder(work.config.data), 'control')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, `${encodeURIComponent(name)}.restart`), new Date().toISOString())
  await print(`Running gateways end ${name}; the next call starts it again.`)
  return 0
}

async function toggle(work: Work, isDisabled: boolean): Promise<number> {
  const { name } = named(work)
  setDisabled(work.files, name, isDisabled)
  await print(`${name} is ${isDisabled ? 'disabled' : 'enabled'}.`)
  return 0
}

async function importFrom({ name, files }: Work): Promise<number> {
  await print(importServers(name, files[0] ?? '').lines.join('\n'))
  return 0
}
