/** What can be done with a project. */
export type Task = 'build' | 'test' | 'restore'

/** How one kind of project is recognised and built. */
export interface Toolchain {
  readonly name: string
  /** A file of this name says that a directory is such a project. */
  readonly marks: RegExp
  /** The command line for a task; undefined if there is no such task.  */
  command(task: Task, project: Project): readonly string[] | undefined
}

/** A directory to build, and what is in it. */
export interface Project {
  readonly names: ReadonlySet<string>
  readonly file: string | undefined
}

const table =
  (
    commands: Readonly<Partial<Record<Task, readonly string[]>>>,
    withFile?: (file: string) => readonly string[],
  ): Toolchain['command'] =>
  (task, { file }) => {
    const words = commands[task]
    // The dot keeps a name that looks like an option a name.
    return words && file !== undefined && withFile ? [...words, ...withFile(`./${file}`)] : words
  }

/** The toolchains, the more telling ones first. */
export const toolchains: readonly Toolchain[] = [
  {
    name: 'pnpm',
    marks: /^pnpm-lock\.yaml$/,
    command: table({
      build: ['pnpm', 'run', 'build'],
      test: ['pnpm', 'run', 'test'],
      restore: ['pnpm', 'install', '--frozen-lockfile'],
    }),
  },
  {
    name: 'npm',
    marks: /^package\.json$/,
    command: (task, { names }) => {
      if (task === 'restore')
        return ['npm', names.has('package-lock.json') ? 'ci' : 'install', '--no-fund', '--no-audit']
      return ['npm', 'run', task]
    },
  },
  {
    name: 'cargo',
    marks: /^Cargo\.toml$/,
    command: table({ build: ['cargo', 'build'], test: ['cargo', 'test'], restore: ['cargo', 'fetch'] }, file => [
      '--manifest-path',
      file,
    ]),
  },
  {
    name: 'go',
    marks: /^go\.mod$/,
    command: table({
      build: ['go', 'build', './...'],
      test: ['go', 'test', './...'],
      restore: ['go', 'mod', 'download'],
    }),
  },
  {
    name: 'dotnet',
    marks: /\.(?:slnx?|[cf]sproj|vbproj)$/,
    command: table({ build: ['dotnet', 'build'], test: ['dotnet', 'test'], restore: ['dotnet', 'restore'] }, file => [
      file,
    ]),
  },
  {
    name: 'maven',
    marks: /^pom\.xml$/,
    command: table(
      {
        build: ['mvn', '--batch-mode', 'compile'],
        test: ['mvn', '--batch-mode', 'test'],
        restore: ['mvn', '--batch-mode', 'dependency:resolve'],
      },
      file => ['--file', file],
    ),
  },
  {
    name: 'uv',
    marks: /^uv\.lock$/,
    command: table({ build: ['uv', 'build'], test: ['uv', 'run', 'pytest'], restore: ['uv', 'sync'] }),
  },
  {
    name: 'python',
    marks: /^(?:pyproject\.toml|setup\.(?:py|cfg)|pytest\.ini|tox\.ini|requirements\.txt|conftest\.py)$/,
    command: (task, { names }) => {
      if (task === 'build') return ['python3', '-m', 'compileall', '-q', '.']
      if (task === 'test') return ['python3', '-m', 'pytest']
      return [
        'python3',
        '-m',
        'pip',
        'install',
        ...(names.has('requirements.txt') ? ['-r', 'requirements.txt'] : ['-e', '.']),
      ]
    },
  },
  {
    name: 'make',
    marks: /^(?:GNUm|M|m)akefile$/,
    command: table({ build: ['make'], test: ['make', 'test'] }, file => ['-f', file]),
  },
]
