import { existsSync, readFileSync } from 'node:fs'
import { createServer } from '@causeway/engine'
import { parseLock } from '@causeway/gateway'
import { applyWithLogins, withGateway } from '../login/command-gateway.ts'
import type { Config } from '../config/config.ts'
import { lockFileOf, readServersFiles } from '../config/files/servers-file.ts'
import { openStore } from '../serve/open-store.ts'
import { counted } from '../terminal/print.ts'
import { VERSION } from '../version.ts'
import { ok, wordsOf } from './finding.ts'
import type { Finding } from './finding.ts'

/** Can the store be reached? */
export async function checkStore(config: Config): Promise<readonly Finding[]> {
  if (config.store === undefined) return []
  const fix = 'Start Redis, or correct --store URL.'
  try {
    const store = await openStore(config, () => {})
    const isReachable = store?.reachable === true
    const shown = store?.shown ?? ''
    await store?.close()
    if (isReachable) return [ok('store', shown)]
    return [{ check: 'store', status: 'fail', message: `The store at ${shown} cannot be reached`, fix }]
  } catch (error) {
    return [{ check: 'store', status: 'fail', message: wordsOf(error), fix }]
  }
}

/** Does every server start? Each is started, since only that shows it. */
export async function checkServers(config: Config): Promise<readonly Finding[]> {
  const { servers: files } = config
  if (files.length === 0) return []
  const server = createServer({ name: 'causeway', version: VERSION, log: () => {} })
  try {
    return await withGateway(server, config, async gateway => {
      const { upstreams, problems } = readServersFiles(files)
      await applyWithLogins(gateway, upstreams)
      await Promise.allSettled([...gateway.servers.values()].map(upstream => upstream.refresh()))
      return [
        ...problems.map((message): Finding => ({
          check: 'servers',
          status: 'fail',
          message,
          fix: 'Correct the entry.',
        })),
        ...gateway.status.map(one => serverFinding(one)),
        lockFinding(files),
      ]
    })
  } catch (error) {
    return [{ check: 'servers', status: 'fail', message: wordsOf(error), fix: 'Correct the file of servers.' }]
  }
}

function serverFinding({ name, state, tools, problem }: Readonly<Record<string, unknown>>): Finding {
  const shown = String(name)
  if (state === 'running') return ok('servers', `${shown}: ${counted(Number(tools), 'tool')}`)
  const message = `${shown}: ${typeof problem === 'string' ? problem : String(state)}`
  return { check: 'servers', status: 'fail', message, fix: `Look at: causeway servers logs ${shown} --servers FILE` }
}

function lockFinding(files: readonly string[]): Finding {
  const file = lockFileOf(files)
  if (!existsSync(file)) {
    const message = 'Nothing is locked: a server may change its tools unnoticed'
    return {
      check: 'lock',
      status: 'warn',
      message,
      fix: `causeway lock ${files.map(one => `--servers ${one}`).join(' ')}`,
    }
  }
  try {
    parseLock(readFileSync(file, 'utf8'))
    return ok('lock', file)
  } catch (error) {
    return {
      check: 'lock',
      status: 'fail',
      message: `${file}: ${wordsOf(error)}`,
      fix: 'Write it again: causeway lock',
    }
  }
}
