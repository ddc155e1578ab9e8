import { lstat, readdir } from 'node:fs/promises'
import { dirname, basename } from 'node:path'
import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { quote } from '../support/quote.ts'
import { runJob } from './command.ts'
import { orRoot } from './workspace.ts'
import type { Workspace } from './workspace.ts'
import { toolchains } from './toolchains.ts'
import type { Project, Task, Toolchain } from './toolchains.ts'

// No colours, no questions, no watching, and no helpers that stay behind.
const QUIET = {
  CI: 'true',
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
  DOTNET_NOLOGO: '1',
  MSBUILDDISABLENODEREUSE: '1',
  npm_config_update_notifier: 'false',
  PIP_NO_INPUT: '1',
  PYTHONUNBUFFERED: '1',
}

const projectPath = {
  type: 'string',
  description: 'The project: its directory or its project file; default: the first root',
} as const

interface Words {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly aliases: readonly string[]
}

const KINDS = 'npm, pnpm, cargo, go, dotnet, maven, uv, pytest or make'

const ciTool = (workspace: Workspace, task: Task, words: Words): Tool =>
  tool(
    {
      ...words,
      readOnly: false,
      destructive: true,
      idempotent: task !== 'test',
      openWorld: true,
      input: { type: 'object', properties: { projectPath }, additionalProperties: false },
    },
    async (args, ctx) => {
      const { directory, project } = await projectAt(workspace, orRoot(args.projectPath))
      const job = {
        words: commandFor(task, project, directory),
        directory,
        argument: 'projectPath',
        env: QUIET,
        trusting: true,
      }
      return runJob(workspace, job, ctx)
    },
  )

/** Builds a project. */
export const ciBuild = (workspace: Workspace): Tool =>
  ciTool(workspace, 'build', {
    name: 'ci_build',
    title: 'Build',
    description: `Builds a project with its own tool (${KINDS}), recognised by its files.`,
    aliases: ['build', 'ci/build'],
  })

/** Runs a project's tests. */
export const ciRunTests = (workspace: Workspace): Tool =>
  ciTool(workspace, 'test', {
    name: 'ci_run_tests',
    title: 'Run tests',
    description: `Runs the tests of a project with its own tool (${KINDS}); failing tests are an error with the output.`,
    aliases: ['run_tests', 'ci/run_tests', 'ci/test'],
  })

/** Fetches what a project depends on. */
export const ciRestore = (workspace: Workspace): Tool =>
  ciTool(workspace, 'restore', {
    name: 'ci_restore',
    title: 'Restore dependencies',
    description: `Fetches the dependencies of a project with its own tool (${KINDS}); may need the network.`,
    aliases: ['restore', 'ci/restore'],
  })

/** A directory is a project; a file stands for the one it lies in. */
async function projectAt({ jail }: Workspace, path: string): Promise<{ directory: string; project: Project }> {
  const named = await jail.at({ path, argument: 'projectPath' }, async place => ({
    isDirectory: (await lstat(place.at)).isDirectory(),
    path: place.path,
  }))
  const directory = named.isDirectory ? named.path : dirname(named.path)
  const names = await jail.inside({ path: directory, argument: 'projectPath' }, dir => readdir(dir.at()))
  return { directory, project: { names: new Set(names), file: named.isDirectory ? undefined : basename(named.path) } }
}

function commandFor(task: Task, project: Project, directory: string): readonly string[] {
  const found = recognise(project)
  if (!found) {
    const what =
      project.file === undefined
        ? `No project was recognised in ${quote(directory)}`
        : `${quote(project.file)} is no project file`
    throw new Error(
      `${what}. Known: package.json, pnpm-lock.yaml, Cargo.toml, go.mod, *.sln, *.csproj, pom.xml, uv.lock, pyproject.toml, Makefile.`,
    )
  }
  const words = found.command(task, project)
  if (!words) throw new Error(`A ${found.name} project has no step '${task}'`)
  return words
}

/** A file that was named decides by itself, except that a package.json may be pnpm's. */
function recognise({ file, names }: Project): Toolchain | undefined {
  const telling = file === undefined || file === 'package.json' ? [...names] : [file]
  const candidates = file === 'package.json' ? toolchains.slice(0, 2) : toolchains
  return candidates.find(({ marks }) => telling.some(name => marks.test(name)))
}
