import { lstat } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Tool } from '@causeway/engine'
import { readAll, reading } from '../../support/files/file.ts'
import { runProgram, timeout } from '../run/run-program.ts'
import { plainWord, planFor, projectAt } from './project.ts'
import { orRoot } from '../workspace.ts'
import type { Workspace } from '../workspace.ts'
import { toolchains } from './toolchains.ts'
import type { Project, Task, Toolchain } from './toolchain.ts'

// No colours, no questions, no watching, and no helpers that stay behind.
const QUIET = {
  CI: 'true',
  NO_COLOR: '1',
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
  DOTNET_NOLOGO: '1',
  MSBUILDDISABLENODEREUSE: '1',
  npm_config_update_notifier: 'false',
  PIP_NO_INPUT: '1',
  PYTHONUNBUFFERED: '1',
}
const SECONDS = 600
const SOURCE_BYTES = 1024 * 1024

const properties = {
  projectPath: {
    type: 'string',
    description: 'The project: its directory or its project file; default: the first root',
  },
  toolchain: {
    type: 'string',
    enum: toolchains.map(({ name }) => name),
    description: 'Which build tool, if several apply; default: chosen by the files in the directory',
  },
  args: { type: 'array', items: { type: 'string' }, maxItems: 100, description: 'More arguments for the tool' },
  timeout: { ...timeout, default: SECONDS, description: 'Seconds it may take' },
} as const
const choosing = {
  file: { type: 'string', description: 'Only the tests of this file; relative to the project' },
  test: { type: 'string', description: 'Only tests of this name, as the test runner matches it' },
} as const

interface Words {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly aliases: readonly string[]
}

interface Given {
  readonly projectPath?: string
  readonly toolchain?: string
  readonly args?: readonly string[]
  readonly timeout?: number
  readonly file?: string | undefined
  readonly test?: string
}

const ciTool = (workspace: Workspace, task: Task, words: Words): Tool =>
  tool(
    {
      ...words,
      task: 'optional',
      readOnly: false,
      destructive: true,
      idempotent: task !== 'test',
      openWorld: true,
      use: [dataFrom('build')],
      input: {
        type: 'object',
        properties: task === 'test' ? { ...properties, ...choosing } : properties,
        additionalProperties: false,
      },
    },
    async (given: Given, ctx) => {
      const timeoutMs = (given.timeout ?? SECONDS) * 1000
      // Before anything that takes time itself.
      ctx.allowTime(timeoutMs)
      const { directory, project } = await projectAt(workspace.jail, orRoot(given.projectPath))
      const { toolchain, note } = await planFor(project, directory, task, given.toolchain)
      const chosen = { ...given, ...(await fileFrom(workspace, directory, given.file)) }
      const command = commandFor({ task, project, toolchain }, chosen)
      const before = toolchain.before?.(task, project)
      const tests = task === 'test'
      const job = { directory, argument: 'projectPath', env: QUIET, trusting: true, brief: note, tests }
      if (before) await runProgram(workspace, { ...job, words: before, timeoutMs }, ctx)
      return runProgram(workspace, { ...job, words: command, timeoutMs }, ctx)
    },
  )

/** Builds a project. */
export const ciBuild = (workspace: Workspace): Tool =>
  ciTool(workspace, 'build', {
    name: 'ci_build',
    title: 'Build',
    description: 'Builds a project with its own tool, recognised by its files. Errors come first, with file and line.',
    aliases: ['build', 'ci/build'],
  })

/** Runs a project's tests. */
export const ciRunTests = (workspace: Workspace): Tool =>
  ciTool(workspace, 'test', {
    name: 'ci_run_tests',
    title: 'Run tests',
    description:
      'Runs the tests of a project with its own tool, all or those of a file or name; failing tests are an error that lists them first.',
    aliases: ['run_tests', 'ci/run_tests', 'ci/test'],
  })

/** Fetches what a project depends on. */
export const ciRestore = (workspace: Workspace): Tool =>
  ciTool(workspace, 'restore', {
    name: 'ci_restore',
    title: 'Restore dependencies',
    description: 'Fetches the dependencies of a project with its own tool; may need the network.',
    aliases: ['restore', 'ci/restore'],
  })

/** The file as the project sees it, wherever it was given from. */
async function fileFrom(
  { jail }: Workspace,
  directory: string,
  file: string | undefined,
): Promise<Pick<Asked, 'file' | 'source'>> {
  const word = plainWord(file, 'file')
  if (word === undefined) return {}
  const asked = { path: `${directory}${sep}${word}`, argument: 'file' }
  const path = relative(directory, await jail.resolve(asked.path, 'file')).replaceAll(sep, '/')
  const source = await jail.at(asked, async place =>
    (await lstat(place.at)).isFile() ? reading(place, handle => readAll(handle, SOURCE_BYTES)) : undefined,
  )
  return { file: path, source: source?.toString() }
}

/** What is asked for, with what is in the file. */
interface Asked extends Given {
  readonly source?: string | undefined
}

interface Step {
  readonly task: Task
  readonly project: Project
  readonly toolchain: Toolchain
}

function commandFor({ task, project, toolchain }: Step, { file, test, source, args = [] }: Asked): readonly string[] {
  const words = toolchain.command(task, project)
  if (!words) throw new Error(`A ${toolchain.name} project has no step '${task}'`)
  if (file === undefined && test === undefined) return [...words, ...passedOn(toolchain, task, args)]
  const chosen = toolchain.choose?.({ file, test: plainWord(test, 'test'), source }, project, words)
  if (chosen) return [...chosen, ...args]
  const what = [...(file === undefined ? [] : ["'file'"]), ...(test === undefined ? [] : ["'test'"])].join(' and ')
  throw new Error(
    `How to run only these tests, by ${what}, is not known for this ${toolchain.name} project, so nothing was run. Leave ${what.includes(' and ') ? 'one of them' : 'it'} out, or pass what the test runner wants in 'args'.`,
  )
}

/** Scripts get what stands behind the dashes. */
const passedOn = ({ name }: Toolchain, task: Task, args: readonly string[]): readonly string[] =>
  name === 'npm' && task !== 'restore' && args.length > 0 ? ['--', ...args] : args
