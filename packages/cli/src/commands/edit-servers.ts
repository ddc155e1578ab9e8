import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { didYouMean } from '@causeway/engine'
import { clientPrograms } from '@causeway/engine/client-programs'
import type { ClientFile, ClientProgram, PlatformPath } from '@causeway/engine/client-programs'
import { isObject } from '@causeway/engine/internal'
import { NO_SERVERS, neutralEntry, serverGroups } from '@causeway/gateway'
import { editJson, isToml } from '../config/file-formats.ts'
import { parseServers } from '../config/servers-file.ts'
import { UsageError, sentence } from '../config/usage-error.ts'

type Entry = Readonly<Record<string, unknown>>

/** Enable or disable a server in every file that has it; comments and layout stay. */
export function setDisabled(files: readonly string[], name: string, isDisabled: boolean): void {
  let isFound = false
  for (const file of files) {
    const group = serverGroups(parseServers(file)).find(({ servers }) => isObject(servers[name]))
    if (!group) continue
    isFound = true
    if (isToml(file)) throw new UsageError(byHand(file, [...group.path, name], isDisabled))
    const path = [...group.path, name]
    const text = editJson(readFileSync(file, 'utf8'), [...path, 'enabled'], undefined)
    writeFileSync(file, editJson(text, [...path, 'disabled'], isDisabled ? true : undefined))
  }
  if (!isFound) throw new UsageError(`No file has an entry '${name.slice(0, 100)}' to edit.`)
}

/** No library edits TOML and keeps what else is written there. */
const byHand = (file: string, path: readonly string[], isDisabled: boolean): string =>
  `${file} is TOML, which is not edited: write "enabled = ${String(!isDisabled)}" below [${path.join('.')}] by hand.`

/** Copy the servers of a client program into a file; what is there already stays as it is. The names of what was added. */
export function importServers(client: string | undefined, file: string): readonly string[] {
  const program = programNamed(client)
  if (isToml(file)) throw new UsageError(`${file} is TOML, which is not edited: import into a JSON file.`)
  let text = existsSync(file) ? readFileSync(file, 'utf8') : '{ "mcpServers": {} }\n'
  const [group] = existsSync(file) ? serverGroups(parseServers(file)) : [{ path: ['mcpServers'], servers: {} }]
  if (!group) throw new UsageError(`${file}: ${NO_SERVERS}`, 4)
  const added = [...serversOf(program)].filter(([name]) => !(name in group.servers))
  for (const [name, entry] of added) text = editJson(text, [...group.path, name], entry)
  writeFileSync(file, text, { mode: 0o600 })
  return added.map(([name]) => name)
}

function programNamed(client = ''): ClientProgram {
  const found = clientPrograms.find(({ id }) => id === client)
  if (found) return found
  const ids = clientPrograms.map(({ id }) => id)
  throw new UsageError(
    sentence(
      client === '' ? 'Name a client.' : `Unknown client '${client.slice(0, 100)}'.`,
      didYouMean(client, ids),
      `Clients: ${ids.join(', ')}.`,
    ),
  )
}

/** The servers that a program has on this machine, in our own keys; the first file that has a name decides. */
function serversOf(program: ClientProgram): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>()
  for (const file of program.files) {
    const path = placeOf(file.path)
    if (!existsSync(path)) continue
    const container = (file.container ?? program.container).join('.')
    const group = serverGroups(parseServers(path)).find(one => one.path.join('.') === container)
    for (const [name, entry] of Object.entries(group?.servers ?? {}))
      if (isObject(entry) && !found.has(name)) found.set(name, imported(entry, program, path))
  }
  return found
}

/** An entry of a program; one in a project is not trusted: its address may not lead into private networks. */
function imported(entry: Entry, { plainUrl }: ClientProgram, path: string): Entry {
  const own = neutralEntry(entry)
  const isPlain = plainUrl !== undefined && 'url' in entry && !('type' in entry)
  return {
    ...own,
    ...(isPlain && { type: plainUrl }),
    ...('url' in own && !isAbsolute(path) && { trusted: false }),
  }
}

function placeOf(path: ClientFile['path'], platform: NodeJS.Platform = process.platform): string {
  const own: string = onPlatform(path, platform)
  if (own.startsWith('~/')) return join(homedir(), own.slice(2))
  return own.startsWith('%APPDATA%/') ? join(process.env.APPDATA ?? homedir(), own.slice(10)) : own
}

function onPlatform(path: PlatformPath, platform: NodeJS.Platform): string {
  if (typeof path === 'string') return path
  return platform === 'darwin' || platform === 'win32' ? path[platform] : path.linux
}
