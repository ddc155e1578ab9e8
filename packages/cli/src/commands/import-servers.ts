import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { didYouMean } from '@causeway/engine'
import { clientPrograms, programNamed, shellWord } from '@causeway/engine/client-programs'
import type { ClientFile, ClientProgram } from '@causeway/engine/client-programs'
import { isObject } from '@causeway/engine/internal'
import { NO_SERVERS, neutralEntry, serverGroups } from '@causeway/gateway'
import { pathOn } from '../clients/client-paths.ts'
import { editJson, isToml } from '../config/files/file-formats.ts'
import { parseServers } from '../config/files/servers-file.ts'
import { UsageError, sentence } from '../config/usage-error.ts'

type Entry = Readonly<Record<string, unknown>>

/** A server of a client program, in our own keys. */
export interface Found {
  readonly name: string
  readonly entry: Entry
}

/** What an import did, in lines for a person. */
export interface Imported {
  readonly added: readonly Found[]
  readonly lines: readonly string[]
}

const LONGEST_SHOWN = 500
const LONGEST_NAME = 100
const LARGEST_FILE = 10 * 1024 * 1024

/** Copy the servers of a client program into a file; what is there already stays as it is. */
export function importServers(client: string | undefined, file: string): Imported {
  const program = programOr(client)
  if (isToml(file)) throw new UsageError(`${file} is TOML, which is not edited: import into a JSON file.`)
  let text = existsSync(file) ? readFileSync(file, 'utf8') : '{ "mcpServers": {} }\n'
  const [group] = existsSync(file) ? serverGroups(parseServers(file)) : [{ path: ['mcpServers'], servers: {} }]
  if (!group) throw new UsageError(`${file}: ${NO_SERVERS}`, 4)
  const { servers, lines } = serversOf(program)
  const added = servers.filter(({ name }) => !Object.hasOwn(group.servers, name))
  for (const { name, entry } of added) text = editJson(text, [...group.path, name], entry)
  if (added.length > 0) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, text, { mode: 0o600 })
  }
  return { added, lines: [...lines, ...linesOn(added, file)] }
}

function linesOn(added: readonly Found[], file: string): string[] {
  if (added.length === 0) return ['There was nothing new.']
  const isHeld = added.some(({ entry }) => entry.disabled === true && entry.trusted === false)
  return [
    `Added ${added.map(({ name }) => onOneLine(name)).join(', ')} to ${file}.`,
    ...added.map(
      ({ name, entry }) => `  ${onOneLine(name)}  ${entry.disabled === true ? 'disabled  ' : ''}${shownEntry(entry)}`,
    ),
    ...(isHeld
      ? ['Servers of a project are disabled until you check their commands. To use one: causeway servers enable NAME.']
      : []),
  ]
}

const onOneLine = (name: string): string => name.replaceAll(/\s+/g, ' ').slice(0, LONGEST_NAME)

/** What an entry runs or connects to, on one line. */
function shownEntry({ command, args, env, url }: Entry): string {
  const words = [command, ...(Array.isArray(args) ? args : [])].map(word => shellWord(String(word)))
  const variables = Object.entries(isObject(env) ? env : {}).map(([name, value]) =>
    shellWord(`${name}=${String(value)}`),
  )
  const whole = command === undefined ? String(url) : [...variables, ...words].join(' ')
  const line = whole.replaceAll(/\s+/g, ' ')
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line
}

function programOr(client = ''): ClientProgram {
  const found = programNamed(client)
  if (found) return found
  const ids = clientPrograms.map(({ id }) => id)
  const wrong = client === '' ? 'Name a client.' : `Unknown client '${client.slice(0, 100)}'.`
  throw new UsageError(sentence(wrong, didYouMean(client, ids), `Clients: ${ids.join(', ')}.`))
}

/** The servers that a program has on this machine; the first file that has a name decides. A line on each file. */
function serversOf(program: ClientProgram): { readonly servers: readonly Found[]; readonly lines: readonly string[] } {
  const servers = new Map<string, Found>()
  const lines = program.files.map(file => {
    const path = pathOn(file.path)
    if (!existsSync(path)) return `Not there: ${path}`
    // A project may have a pipe or a device there.
    const found = statSync(path)
    if (!found.isFile() || found.size > LARGEST_FILE) return `Not read: ${path} is not a file of servers`
    const all = groupsIn(parseServers(path), file, program).flatMap(group => Object.entries(group))
    for (const [name, entry] of all)
      if (isObject(entry) && !servers.has(name)) servers.set(name, { name, entry: imported(entry, program, path) })
    return `Read ${path}: ${all.length} ${all.length === 1 ? 'server' : 'servers'}`
  })
  return { servers: [...servers.values()], lines }
}

/** Those of the current folder, then those of the user. */
function groupsIn(content: unknown, { container, folders }: ClientFile, program: ClientProgram): Entry[] {
  const keys = container ?? program.container
  const below = isObject(content) && folders !== undefined ? content[folders] : undefined
  const local = isObject(below) && Object.hasOwn(below, process.cwd()) ? below[process.cwd()] : undefined
  return [local, content]
    .flatMap(one => serverGroups(one).filter(({ path }) => path.join('.') === keys.join('.')))
    .map(({ servers }) => servers)
}

/** An entry of a program. One in a project is neither trusted nor enabled, regardless of its keys. */
function imported(entry: Entry, { plainUrl }: ClientProgram, path: string): Entry {
  const own = neutralEntry(entry)
  const isPlain = plainUrl !== undefined && 'url' in entry && !('type' in entry)
  const { enabled, ...rest } = own
  if (!isAbsolute(path)) return { ...rest, ...(isPlain && { type: plainUrl }), disabled: true, trusted: false }
  return { ...own, ...(isPlain && { type: plainUrl }) }
}
