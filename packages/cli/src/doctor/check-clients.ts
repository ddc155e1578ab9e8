import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { clientPrograms } from '@causeway/engine/client-programs'
import type { ClientProgram } from '@causeway/engine/client-programs'
import { RemoteServer, childTransport, httpTransport, plainEnvironment } from '@causeway/engine/client'
import type { Target } from '@causeway/engine/client'
import { isObject } from '@causeway/engine/internal'
import { neutralEntry } from '@causeway/gateway'
import { entryIn } from '../clients/edit-entry.ts'
import { pathOn } from '../clients/client-paths.ts'
import { startCommand } from '../serve/own-command.ts'
import { VERSION } from '../version.ts'
import { ok, wordsOf } from './finding.ts'
import type { Finding } from './finding.ts'

const PATIENCE_MS = 15_000

/** Do the clients whose files name us start us? Each is tried as the client would. */
export async function checkClients(): Promise<readonly Finding[]> {
  const found = clientPrograms.flatMap(program => filesOf(program).map(file => checkFile(program, file)))
  const findings = (await Promise.all(found)).filter(finding => finding !== undefined)
  if (findings.length > 0) return findings
  const message = 'No client is configured to use Causeway'
  return [{ check: 'clients', status: 'warn', message, fix: 'causeway install CLIENT' }]
}

interface Place {
  readonly file: string
  /** It is in the project, which may belong to others. */
  readonly isOfProject: boolean
  readonly path: readonly string[]
}

function filesOf(program: ClientProgram): readonly Place[] {
  const places = program.files.map(({ path, container = program.container }) => ({
    file: resolve(pathOn(path)),
    isOfProject: !isAbsolute(pathOn(path)),
    path: [...container, 'causeway'],
  }))
  // In the home folder, the file of the user and that of the project may be one.
  return places.filter(({ file }, i) => places.findIndex(other => other.file === file) === i)
}

async function checkFile(
  { id, name }: ClientProgram,
  { file, path, isOfProject }: Place,
): Promise<Finding | undefined> {
  if (!existsSync(file)) return undefined
  const check = 'clients'
  try {
    const entry = entryIn(file, path)
    if (!isObject(entry)) return undefined
    if (isOfProject && !isOurs(entry)) {
      const message = `${name} (${file}): not started, since the file belongs to the project and names another program`
      return { check, status: 'warn', message, fix: 'Look at the entry.' }
    }
    const words = await greeted(neutralEntry(entry))
    return ok(check, `${name} (${file}): ${words}`)
  } catch (error) {
    const message = `${name} (${file}): ${wordsOf(error)}`
    return { check, status: 'fail', message, fix: `Correct the file, or write the entry again: causeway install ${id}` }
  }
}

const isOurs = ({ command, args }: Readonly<Record<string, unknown>>): boolean =>
  startCommand().every((word, i) => [command, ...(Array.isArray(args) ? args : [])][i] === word)

/** Start what an entry names, and shake hands. */
async function greeted(entry: Readonly<Record<string, unknown>>): Promise<string> {
  const client = { name: 'causeway-doctor', version: VERSION }
  const remote = await RemoteServer.connect(targetOf(entry), { client, startTimeoutMs: PATIENCE_MS })
  try {
    const tools = await remote.list('tools/list', { timeoutMs: PATIENCE_MS })
    return `starts, and lists ${tools.length} tools`
  } finally {
    await remote.close()
  }
}

function targetOf({ command, args, url, headers }: Readonly<Record<string, unknown>>): Target {
  if (typeof command === 'string') {
    const words = Array.isArray(args) ? args.map(String) : []
    // The client puts the folder that is open in its place.
    const own = words.map(word => word.replaceAll('${workspaceFolder}', process.cwd()))
    const gone = [command, ...own].find(word => isAbsolute(word) && /\.[cm]?js$/.test(word) && !existsSync(word))
    if (gone !== undefined) throw new Error(`${gone} does not exist`)
    const env = { ...plainEnvironment(), CAUSEWAY_LOG_LEVEL: 'error' }
    return { open: () => childTransport({ command, args: own, env, stderr: 'ignore' }) }
  }
  if (typeof url !== 'string') throw new Error('the entry has neither a command nor a URL')
  return {
    open: () => httpTransport({ url, ...(isObject(headers) && { headers: headers as Record<string, string> }) }),
  }
}
