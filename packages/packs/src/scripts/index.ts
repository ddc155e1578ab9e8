import { dirname, resolve } from 'node:path'
import type { Tool } from '@causeway/engine'
import { environment } from '../support/processes/environment.ts'
import { findScripts } from './find-scripts.ts'
import type { FoundScript, ScriptProblem } from './find-scripts.ts'
import { scriptTool } from './script-tool.ts'

export type { ScriptProblem } from './find-scripts.ts'

/** Which scripts are served. */
export interface ScriptsOptions {
  /** Folders whose scripts run; whoever can write there decides what this server runs. */
  readonly folders: readonly string[]
  /** Folders that the scripts work on; the first one is their variable CAUSEWAY_ROOT. */
  readonly roots?: readonly string[]
  /** Environment variables that scripts may see. */
  readonly environment?: readonly string[]
}

/** The tools of some folders of scripts, and what cannot be one. */
export interface Scripts {
  readonly tools: readonly Tool[]
  readonly problems: readonly ScriptProblem[]
}

/** Scripts that declare a tool in the comment at their head, as tools. A folder that cannot be read throws. */
export async function scripts({ folders, roots = [], environment: also = [] }: ScriptsOptions): Promise<Scripts> {
  const found = await Promise.all(folders.map(folder => findScripts(resolve(folder))))
  const problems = found.flatMap(one => one.problems)
  const tools = new Map<string, Tool>()
  const env = { ...environment({ also }), ...(roots[0] !== undefined && { CAUSEWAY_ROOT: roots[0] }) }
  for (const script of found.flatMap(one => one.scripts)) {
    const { header, file } = script
    if (tools.has(header.name)) problems.push({ where: file, why: `another script is called ${header.name}` })
    else tools.set(header.name, scriptTool(header, { ...commandOf(script), cwd: dirname(file), env }))
  }
  return { tools: [...tools.values()], problems }
}

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm'

const commandOf = ({ file, npm }: FoundScript): { program: string; args: readonly string[] } =>
  npm === undefined ? { program: file, args: [] } : { program: NPM, args: ['run', '--silent', npm] }
