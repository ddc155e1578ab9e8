import { RpcError, fault } from '@causeway/engine'
import { fitsPattern } from '@causeway/engine/internal'
import { resultStep } from '@causeway/engine/policies'
import type { Feature, Pack, Policy, Tool } from '@causeway/engine'
import type { Config } from '../config/config.ts'
import { packs } from './packs.ts'

/** Why a tool that exists is not served, and which flag does that; undefined for one that does not exist. */
export type Explain = (name: string) => Promise<string | undefined>

/** How a pack is made with everything in it. */
export type MakeWhole = (pack: string) => Promise<Pack>

interface Whole {
  readonly pack: string
  readonly features: readonly Feature[]
}

const toolIn = (features: readonly Feature[], name: string): Tool | undefined =>
  features.find((f): f is Tool => f.kind === 'tool' && (f.name === name || (f.aliases?.includes(name) ?? false)))

/** Explains the tools that the configuration leaves out; `offered` is what there was to choose from. */
export function explainHidden(config: Config, offered: readonly Feature[], makeWhole: MakeWhole): Explain {
  let whole: Promise<readonly Whole[]> | undefined
  return async name => {
    const known = toolIn(offered, name)
    if (known) return filtered(known, config)
    const other = insteadOf(name, offered)
    if (other !== undefined) return other
    // Made when first asked for: other packs are code that is not even loaded otherwise.
    const found = (await (whole ??= allPacks(config, makeWhole))).find(({ features }) => toolIn(features, name))
    if (!found) return undefined
    if (!config.packs.includes(found.pack))
      return `It belongs to the pack '${found.pack}', which is not served: --pack ${[...config.packs, found.pack].join(',')} serves it too.`
    const isOffered = (other: string): boolean => toolIn(offered, other) !== undefined
    if (/^git[_/]/.test(name) && !isOffered('git_status'))
      return 'It needs the program git, which was not found on PATH.'
    if (name === 'diagnose')
      return 'It is off, since the operator turned language servers off: --language-servers auto.'
    if (config.readOnly) return WRITES
    if (REMOTE.test(name)) return 'It is off until the operator allows remotes with --allow-remote.'
    return `It is off until the operator allows commands with --allow-command PATTERN.`
  }
}

/** What other programs call a tool of ours. */
const INSTEAD: Readonly<Record<string, string>> = {
  grep: 'search_files',
  rg: 'search_files',
  glob: 'search_files',
  find: 'search_files',
  cat: 'read_file',
  view: 'read_file',
  ls: 'list_directory',
  str_replace: 'edit_file',
  bash: 'run_command',
  shell: 'run_command',
}

function insteadOf(name: string, offered: readonly Feature[]): string | undefined {
  const other = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined
  return other !== undefined && toolIn(offered, other) ? `Use ${other}.` : undefined
}

const REMOTE = /^git[_/](?:fetch|pull|push)$/

const WRITES = 'It writes, and --read-only hides every tool that writes.'

const STREAMS = 'It streams bytes: it is served by --preset basics, to clients connected by WebSocket.'

/** Which flag keeps a tool out; names given there may have `*` in them. */
export function leftOut(
  { name, readOnly }: { readonly name: string; readonly readOnly?: boolean | undefined },
  { tools, excludeTools, readOnly: isReadOnly, given }: Config,
): string | undefined {
  if (excludeTools.some(pattern => fitsPattern(name, pattern))) return 'It is left out by --exclude-tools.'
  if (given.has('tools') && !tools.some(pattern => fitsPattern(name, pattern)))
    return 'It is not among the tools named by --tools.'
  return isReadOnly && readOnly !== true ? WRITES : undefined
}

function filtered(tool: Tool, config: Config): string | undefined {
  const why = leftOut(tool, config)
  if (why !== undefined) return why
  const { stream } = tool
  return stream === undefined ? undefined : STREAMS
}

/** Those that are served first, so that a tool in two of them is found where the operator looks. */
async function allPacks(config: Config, makeWhole: MakeWhole): Promise<readonly Whole[]> {
  const names = [...new Set([...config.packs, ...Object.keys(packs)])]
  const made = await Promise.allSettled(names.map(async pack => ({ pack, features: (await makeWhole(pack)).features })))
  return made.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
}

/** Adds to the refusal of an unknown tool why it is not there. */
export function explaining(explain: Explain, search?: string): Policy {
  const refuse = async (error: RpcError, name: string): Promise<never> => {
    const why = (await explain(name)) ?? (error.hint === undefined ? search : undefined)
    if (why === undefined) throw error
    const { message, subject = name } = error
    throw fault('unknown-tool', message, undefined, { subject, hint: why })
  }
  return resultStep({
    onError(error, { method, params: { name } }) {
      const isUnknown = error instanceof RpcError && error.kind === 'unknown-tool' && method === 'tools/call'
      if (isUnknown && typeof name === 'string') return refuse(error, name)
      throw error
    },
  })
}
