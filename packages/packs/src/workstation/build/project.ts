import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fault } from '@causeway/engine'
import { environment } from '../../support/processes/environment.ts'
import { readAll, reading } from '../../support/files/file.ts'
import type { Jail } from '../../support/files/jail.ts'
import { findProgram } from '../../support/processes/programs.ts'
import { quote } from '../../support/quote.ts'
import { toolchains } from './toolchains.ts'
import type { Project, Task, Toolchain } from './toolchain.ts'

/** What to build, and with what. */
export interface Plan {
  readonly toolchain: Toolchain
  /** Why this one and not another, if there was a choice. */
  readonly note: string
}

const PACKAGE_BYTES = 1024 * 1024
const MARKS =
  'package.json, pnpm-lock.yaml, yarn.lock, bun.lock, deno.json, Cargo.toml, go.mod, *.sln, *.csproj, pom.xml, ' +
  'build.gradle, uv.lock, pyproject.toml, CMakeLists.txt, Makefile'
// Those that a package.json may belong to.
const NODE = new Set(['pnpm', 'yarn', 'bun', 'npm'])

/** A directory is a project; a file stands for the one it lies in. */
export async function projectAt(jail: Jail, path: string): Promise<{ directory: string; project: Project }> {
  const named = await jail.at({ path, argument: 'projectPath' }, async place => ({
    isDirectory: (await lstat(place.at)).isDirectory(),
    path: place.path,
  }))
  const directory = named.isDirectory ? named.path : dirname(named.path)
  return jail.inside({ path: directory, argument: 'projectPath' }, async dir => {
    const names = new Set(await readdir(dir.at()))
    const read = names.has('package.json')
      ? reading({ path: 'package.json', at: dir.at('package.json') }, file => readAll(file, PACKAGE_BYTES))
      : undefined
    const { testScript, hasSpec } = packageIn(await read?.catch(() => undefined))
    const hasMochaSpec = hasSpec || (await hasSpecFile(names, name => dir.at(name)))
    const file = named.isDirectory ? undefined : basename(named.path)
    return { directory, project: { names, file, testScript, hasMochaSpec } }
  })
}

function packageIn(bytes: Buffer | undefined): { readonly testScript?: string; readonly hasSpec: boolean } {
  try {
    const { scripts, mocha } = JSON.parse(bytes?.toString() ?? '') as {
      scripts?: { test?: unknown }
      mocha?: { spec?: unknown }
    }
    const hasSpec = mocha?.spec !== undefined
    return { hasSpec, ...(typeof scripts?.test === 'string' && { testScript: scripts.test }) }
  } catch {
    return { hasSpec: false }
  }
}

/** Does a configuration of mocha name test files? Read as text: those in JavaScript are programs. */
async function hasSpecFile(names: ReadonlySet<string>, at: (name: string) => string): Promise<boolean> {
  const name = [...names].find(one => /^\.mocharc\.(?:c?js|jsonc?|ya?ml)$/.test(one))
  if (name === undefined) return false
  const bytes = await reading({ path: name, at: at(name) }, file => readAll(file, PACKAGE_BYTES)).catch(() => undefined)
  return /^\s*(?:module\.exports\s*=\s*\{\s*|\{\s*)?["']?spec["']?\s*:/m.test(bytes?.toString() ?? 'spec:')
}

/** The toolchain to use: the one that was asked for, or the first that was recognised and is installed. */
export async function planFor(project: Project, directory: string, task: Task, wanted?: string): Promise<Plan> {
  const found = recognised(project)
  const named = toolchains.find(({ name }) => name === wanted)
  if (!named && found.length === 0) throw unknownProject(project, directory)
  const order = named ? [named] : found
  const missing: string[] = []
  for (const toolchain of order) {
    const program = toolchain.command(task, project)?.[0]
    // What has no such step says so when it is asked for the command.
    if (program === undefined || (await isInstalled(program)))
      return { toolchain, note: noteOn(toolchain, found, missing) }
    missing.push(`${toolchain.name} (program ${quote(program)})`)
  }
  throw new Error(
    `None of these build tools is installed: ${missing.join(', ')}. Install one of these, or pass toolchain: ` +
      `${toolchains.map(({ name }) => name).join(', ')}.`,
  )
}

const isInstalled = async (program: string): Promise<boolean> =>
  program.includes('/') || (await findProgram(program, environment().PATH ?? '', () => false)).program !== undefined

function noteOn({ name }: Toolchain, found: readonly Toolchain[], missing: readonly string[]): string {
  const others = found
    .map(other => other.name)
    .filter(other => other !== name && !missing.some(m => m.startsWith(`${other} `)))
  const parts = [
    ...(missing.length > 0 ? [`not installed: ${missing.join(', ')}`] : []),
    ...(others.length > 0 ? [`also possible: ${others.join(', ')}`] : []),
  ]
  return parts.length === 0 ? '' : `Toolchain ${name} (${parts.join('; ')}). `
}

/** A file that was named decides by itself, except that a package.json may be that of several. */
function recognised({ file, names }: Project): Toolchain[] {
  const telling = file === undefined || file === 'package.json' ? [...names] : [file]
  const candidates = file === 'package.json' ? toolchains.filter(({ name }) => NODE.has(name)) : toolchains
  return candidates.filter(({ marks }) => telling.some(name => marks.test(name)))
}

function unknownProject({ file }: Project, directory: string): Error {
  const what =
    file === undefined ? `No project was recognised in ${quote(directory)}` : `${quote(file)} is no project file`
  return new Error(`${what}. Known: ${MARKS}.`)
}

/** A file or a test that is handed on as a word, never as an option. */
export function plainWord(value: string | undefined, argument: string): string | undefined {
  if (value === undefined || (value !== '' && !/^-|[\0\n]/.test(value))) return value
  const words = `Parameter '${argument}' must be a name, not empty and not beginning with '-', got ${quote(value)}.`
  throw fault('invalid-arguments', words, { argument, sent: value.slice(0, 100) })
}
