import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { actionNamed, isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { UsageError } from '../config/usage-error.ts'
import { complain, counted, print, printJson, remark, table } from '../terminal/print.ts'
import { VERSION } from '../version.ts'
import { connectTo, greet } from './greeting.ts'
import type { DaemonStatus, Greeting, Welcome } from './greeting.ts'
import { daemonFolder, knownPlaces } from './place.ts'
import type { DaemonPlace } from './place.ts'

// Longer than a daemon lets calls finish.
const STOP_MS = 40_000
const LOOK_MS = 50
const LONGEST_LOG = 4 * 1024 * 1024

/** Look after the daemons that `causeway attach` starts. */
export async function daemon(args: Args): Promise<number> {
  const [action, id, ...rest] = args.positionals
  if (action === undefined || rest.length > 0) throw new UsageError(`Usage: ${args.command.usage}`)
  const all = knownPlaces(daemonFolder())
  const places = all.filter(place => id === undefined || place.id === id)
  if (id !== undefined && places.length === 0)
    throw new UsageError(`There is no daemon '${id.slice(0, 100)}'. See: causeway daemon status`)
  return actionNamed({ status, stop, logs }, action)(places, args)
}

interface Running {
  readonly place: DaemonPlace
  readonly status: DaemonStatus
}

async function running(places: readonly DaemonPlace[]): Promise<readonly Running[]> {
  const asked = await Promise.all(
    places.map(async place => {
      const answer = await asking(place, 'status').catch((error: unknown) =>
        complain(`${place.id}: ${error instanceof Error ? error.message : String(error)}`),
      )
      if (answer?.is !== 'running') return []
      const { is: _, ...one } = answer
      return [{ place, status: one }]
    }),
  )
  return asked.flat()
}

async function asking(place: DaemonPlace, want: Greeting['want']): Promise<Welcome | undefined> {
  const connection = await connectTo(place.socket)
  if (!connection) return undefined
  try {
    return await greet(connection, { want, version: VERSION })
  } finally {
    connection.end().destroy()
  }
}

async function status(places: readonly DaemonPlace[], args: Args): Promise<number> {
  const found = await running(places)
  if (isGiven(args, 'json')) {
    await printJson({ daemons: found.map(({ place: { id }, status: one }) => ({ id, ...one })) })
    return 0
  }
  if (found.length === 0) remark('No daemon runs.')
  else await print(table(found.map(({ place, status: one }) => [place.id, shown(one)])))
  return 0
}

const shown = ({ pid, version, clients, seconds, flags, folder }: DaemonStatus): string =>
  `${counted(clients, 'client')}, process ${pid}, version ${version}, for ${Math.round(seconds / 60)} minutes, in ${folder}: ${flags.join(' ')}`

async function stop(places: readonly DaemonPlace[], args: Args): Promise<number> {
  const found = await running(places)
  await Promise.all(found.map(({ place }) => asking(place, 'stop')))
  const until = performance.now() + STOP_MS
  while (found.some(({ status: { pid } }) => isRunning(pid)) && performance.now() < until) await wait(LOOK_MS)
  const left = found.filter(({ status: { pid } }) => isRunning(pid)).map(({ status: { pid } }) => pid)
  if (isGiven(args, 'json')) await printJson({ stopped: found.length - left.length, left })
  else if (left.length > 0) remark(`Still running: process ${left.join(', ')}.`)
  else remark(`${counted(found.length, 'daemon')} stopped.`)
  return left.length === 0 ? 0 : 1
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function logs(places: readonly DaemonPlace[], args: Args): Promise<number> {
  const texts = places.map(({ id, log }) => ({ id, log, text: readFileSync(log, 'utf8').slice(-LONGEST_LOG) }))
  if (isGiven(args, 'json')) await printJson({ logs: texts })
  else for (const { id, text } of texts) await print(texts.length > 1 ? `== ${id}\n${text.trimEnd()}` : text.trimEnd())
  if (texts.length === 0) remark('No daemon has logged anything.')
  return 0
}
