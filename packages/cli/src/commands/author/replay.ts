import { jsonLog, serveStdio } from '@causeway/engine'
import { splitWords, visibleJson } from '@causeway/engine/internal'
import { isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { readConfig } from '../../config/config.ts'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { withCredentials } from '../../login/open-credentials.ts'
import { unusable } from '../../remote/connect.ts'
import { commandTarget, urlTarget } from '../../remote/target.ts'
import { counted, print, printJson } from '../../terminal/print.ts'
import { Replay } from '../../transcript/replay.ts'
import type { Finding } from '../../transcript/replay.ts'
import { readTranscript } from '../../transcript/transcript.ts'
import type { Transcript } from '../../transcript/transcript.ts'

// As of a lock: something is not as it was.
const CHANGED = 10
const LONGEST_VALUE = 200

/** Play a transcript to a server and say what differs, or be the server that was recorded. */
export async function replay(args: Args): Promise<number> {
  const served = args.given.get('serve')?.at(-1)
  const against = args.given.get('against')?.at(-1)
  const [file, extra] = args.positionals
  const config = readConfig(args)
  if (served !== undefined && against === undefined && file === undefined)
    return serveRecording(readTranscript(served), config)
  if (file === undefined || extra !== undefined || against === undefined || served !== undefined)
    throw new UsageError(`Name a transcript, and the server to play it to. Usage: ${args.command.usage}`)
  return compare(args, config, readTranscript(file), against)
}

async function compare(args: Args, config: Config, transcript: Transcript, against: string): Promise<number> {
  const findings = await withCredentials(config, async credentials => {
    const isUrl = /^[a-z][\w+.-]*:\/\//i.test(against)
    const remote = isUrl ? urlTarget(against, args, credentials) : commandTarget(wordsIn(against), args)
    try {
      return await new Replay(transcript, remote.target, config.timeout ?? 30_000).run()
    } catch (error) {
      throw unusable(remote, error)
    }
  })
  if (isGiven(args, 'json')) await printJson({ messages: transcript.entries.length, findings })
  else await print([...findings.flatMap(lines), summary(findings, transcript)].join('\n'))
  return findings.length === 0 ? 0 : CHANGED
}

function wordsIn(command: string): readonly string[] {
  const words = splitWords(command)
  if (typeof words === 'string') throw new UsageError(`--against ${words}, got '${command.slice(0, 100)}'.`)
  return words
}

const summary = (findings: readonly Finding[], { entries }: Transcript): string =>
  findings.length === 0
    ? `All ${counted(entries.length, 'message')} as recorded.`
    : `${counted(findings.length, 'difference')} in ${counted(entries.length, 'message')}.`

const WHAT: Readonly<Record<Finding['what'], string>> = {
  differs: 'is answered otherwise',
  missing: 'did not come',
  unexpected: 'came, and was not recorded',
}

const lines = ({ entry, about, what, differences }: Finding): string[] => [
  `${entry === 0 ? '' : `message ${entry}: `}${about} ${WHAT[what]}`,
  ...differences.map(
    ({ path, recorded, now }) => `  ${path === '' ? 'all of it' : path}: ${shown(recorded)} is now ${shown(now)}`,
  ),
]

const shown = (value: unknown): string => (value === undefined ? 'nothing' : visibleJson(value).slice(0, LONGEST_VALUE))

/** The server that was recorded, on standard input and output or over HTTP. */
async function serveRecording(transcript: Transcript, config: Config): Promise<number> {
  const log = jsonLog(config.logLevel)
  const { mockServer } = await import('../../transcript/mock-server.ts')
  const server = mockServer(transcript, log)
  if (config.transport !== 'http') {
    await serveStdio(server)
    return 0
  }
  const { serveHttp } = await import('@causeway/engine/http')
  const { host, port } = config
  const service = await serveHttp(server, { host, port })
  log('info', `serving the recording at ${service.url}/mcp`)
  await new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await service.close()
  return 0
}
