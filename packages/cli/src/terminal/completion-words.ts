import { clientPrograms } from '@causeway/engine/client-programs'
import { commands, flagsOf } from '../config/command-table.ts'
import type { Command } from '../config/command-table.ts'

const MOST_MS = 5000

/** The words that may stand at the end of a command line; its last word is the one that is being typed. */
export async function wordsFor(line: readonly string[]): Promise<readonly string[]> {
  const typed = line.at(-1) ?? ''
  const before = line.slice(0, -1)
  const command = commands.find(({ name }) => before.includes(name))
  const last = before.at(-1) ?? ''
  const flag = flagsOf(command ?? serve()).find(({ name }) => `--${name}` === last)
  if (flag?.value !== undefined) return flag.choices ?? []
  if (typed.startsWith('-')) return flagsOf(command ?? serve()).map(({ name }) => `--${name}`)
  if (!command) return commands.map(({ name }) => name)
  const given = positionalsIn(before, command)
  return argumentsOf(command, { position: given.length - 1, before })
}

/** The words of a line that are neither flags nor values of flags. */
const positionalsIn = (line: readonly string[], command: Command): readonly string[] =>
  line.filter((word, i) => {
    const flag = flagsOf(command).find(({ name }) => `--${name}` === line[i - 1])
    return !word.startsWith('-') && flag?.value === undefined
  })

const serve = (): Command => commands.find(({ name }) => name === 'serve') ?? { name: '', usage: '', about: '' }

interface Place {
  readonly position: number
  readonly before: readonly string[]
}

const CLIENTS = clientPrograms.map(({ id }) => id)

/** What the first argument of a command may be. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  install: CLIENTS,
  uninstall: CLIENTS,
  help: commands.map(({ name }) => name),
  servers: ['list', 'status', 'logs', 'restart', 'enable', 'disable', 'import'],
  lock: ['write', 'diff', 'approve', 'verify'],
  store: ['stats', 'clear'],
  token: ['rotate', 'revoke'],
  cassini: ['import'],
  threats: ['validate'],
  list: ['tools', 'prompts', 'resources', 'templates'],
  completion: ['bash', 'zsh', 'fish'],
}

async function argumentsOf({ name }: Command, { position, before }: Place): Promise<readonly string[]> {
  if (name === 'call' || name === 'describe') return toolWords(before, position)
  if (position === 0 && (name === 'login' || name === 'logout')) return serverNames(before)
  if (position === 0) return ACTIONS[name] ?? []
  if (position > 1 || !['servers', 'lock'].includes(name)) return []
  return before.includes('import') ? CLIENTS : serverNames(before)
}

/** The names in the file of servers that the line names, or in the usual one. */
async function serverNames(before: readonly string[]): Promise<readonly string[]> {
  const [{ readArgs }, { readConfig }, { readServersFiles, defaultServersFile }] = await Promise.all([
    import('../config/args.ts'),
    import('../config/config.ts'),
    import('../config/files/servers-file.ts'),
  ])
  try {
    const { servers } = readConfig(readArgs(['list', ...flagWords(before, ['--servers', '--config'])]))
    const { upstreams } = readServersFiles(servers.length > 0 ? servers : [defaultServersFile()])
    return upstreams.map(({ name }) => name)
  } catch {
    return []
  }
}

/**
 * The tools that a command line would find, or the arguments of the one it names. A command that it names, or that a file
 * names, is not started for that: completing a line must not run anything.
 */
async function toolWords(before: readonly string[], position: number): Promise<readonly string[]> {
  if (flagWords(before, ['--command']).length > 0) return []
  const [{ readArgs }, { withServer }] = await Promise.all([
    import('../config/args.ts'),
    import('../remote/open-server.ts'),
  ])
  const words: string[] = []
  const named = before.slice(before.findIndex(word => word === 'call' || word === 'describe') + 1)
  const args = readArgs(['call', 'x', ...flagWords(before, FOR_TOOLS), '--quiet', '--log-level', 'silent'])
  const listing = withServer(args, async ({ tools }) => {
    const known = await tools()
    if (position === 0) for (const { name } of known) words.push(name)
    const tool = known.find(({ name }) => named.includes(name))
    if (position > 0) for (const key of Object.keys(tool?.inputSchema?.properties ?? {})) words.push(`${key}=`)
    return 0
  })
  const late = new Promise<number>(resolve => void setTimeout(() => resolve(1), MOST_MS).unref())
  await Promise.race([listing, late]).catch(() => undefined)
  // A name that begins with a dash would become a flag.
  return words.filter(word => !word.startsWith('-'))
}

const FOR_TOOLS = ['--url', '--preset', '--pack', '--root', '--token-env']

/** Those flags of a line that decide what is offered, with their values. */
const flagWords = (line: readonly string[], wanted: readonly string[]): readonly string[] =>
  line.flatMap((word, i) => {
    const next = line[i + 1]
    if (wanted.includes(word) && next !== undefined) return [word, next]
    return wanted.some(flag => word.startsWith(`${flag}=`)) ? [word] : []
  })
