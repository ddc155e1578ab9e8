import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { View } from '@causeway/engine'
import { readServers, readVirtual, withDistinctPrefixes } from '@causeway/gateway/config'
import type { UnusableEntry, UpstreamConfig } from '@causeway/gateway/config'
import { parseSettings } from './file-formats.ts'
import { UsageError } from '../usage-error.ts'

/** The servers in files, and what is wrong with others. */
export interface ServersRead {
  readonly upstreams: readonly UpstreamConfig[]
  /** Selections that are served on their own. */
  readonly virtual: readonly View[]
  readonly problems: readonly string[]
  /** Servers that would hide each other's tools: with any, nothing is served. */
  readonly clashes: readonly string[]
  /** The entries that cannot be used, with why. */
  readonly unusable: readonly UnusableEntry[]
}

/** A file of servers, parsed. */
export function parseServers(file: string): unknown {
  try {
    return parseSettings(file, readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--servers ${file}: ${error instanceof Error ? error.message : String(error)}`, 4)
  }
}

/** The servers in several files; a name belongs to the first file that has it. */
export function readServersFiles(files: readonly string[], env: NodeJS.ProcessEnv = process.env): ServersRead {
  const upstreams = new Map<string, UpstreamConfig>()
  const virtual = new Map<string, View>()
  const problems: string[] = []
  const clashes: string[] = []
  const unusable: UnusableEntry[] = []
  for (const file of files) {
    const surroundings = { file, variables: (name: string) => env[name], readText: textOf }
    const content = parseServers(file)
    const read = readServers(content, surroundings)
    const { views, problems: wrong } = readVirtual(content, file)
    problems.push(...read.problems, ...wrong)
    unusable.push(...read.unusable)
    clashes.push(...read.clashes.map(clash => `${file}: ${clash}`))
    for (const view of views) if (!virtual.has(view.name)) virtual.set(view.name, view)
    for (const upstream of read.upstreams) {
      if (upstreams.has(upstream.name))
        problems.push(`${file}: the server '${upstream.name}' is in an earlier file, too`)
      else upstreams.set(upstream.name, upstream)
    }
  }
  const distinct = withDistinctPrefixes([...upstreams.values()])
  return {
    upstreams: distinct.upstreams,
    virtual: [...virtual.values()],
    problems: [...problems, ...distinct.clashes],
    clashes: [...clashes, ...distinct.clashes],
    unusable,
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The file of servers that commands use without `--servers`. */
export function defaultServersFile(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32') return join(env.APPDATA ?? homedir(), 'causeway', 'mcp.json')
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'causeway', 'mcp.json')
}

/** The files that were named, or the default one if it is there or may be made. */
export function orDefault(files: readonly string[], mayMake = false): readonly string[] {
  if (files.length > 0) return files
  const file = defaultServersFile()
  if (mayMake || existsSync(file)) return [file]
  throw new UsageError(`Name the file of servers: --servers FILE. Without it ${file} is used, which is not there.`)
}

/** Where lists and logs of servers are kept. */
export function gatewayFolder(data: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  if (data !== undefined) return join(resolve(data), 'gateway')
  if (process.platform === 'win32') return join(env.LOCALAPPDATA ?? homedir(), 'causeway', 'gateway')
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'causeway', 'gateway')
}

/** The lock that belongs to files of servers: beside the first of them. */
export const lockFileOf = (files: readonly string[]): string => join(dirname(files[0] ?? '.'), 'mcp.lock')
