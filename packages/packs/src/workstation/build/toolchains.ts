import { basename, dirname, extname } from 'node:path'
import type { Project, Task, Toolchain } from './toolchain.ts'
import { deno, node } from './toolchains-node.ts'

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

const stem = (file: string): string => basename(file, extname(file))
const either = (value: string | undefined, toWords: (value: string) => string[]): string[] =>
  value === undefined ? [] : toWords(value)

const pytestArguments: Toolchain['choose'] = ({ file, test }) => [
  ...either(test, name => ['-k', name]),
  ...either(file, path => [`./${path}`]),
]

const gradleCommand =
  (...words: string[]) =>
  ({ names }: Project): string[] => [names.has('gradlew') ? './gradlew' : 'gradle', '--console=plain', ...words]
const GRADLE: Readonly<Record<Task, (project: Project) => string[]>> = {
  build: gradleCommand('assemble'),
  test: gradleCommand('test'),
  restore: gradleCommand('dependencies'),
}

/** The toolchains, the more telling ones first. */
export const toolchains: readonly Toolchain[] = [
  ...node,
  deno,
  {
    name: 'cargo',
    marks: /^Cargo\.toml$/,
    command: table({ build: ['cargo', 'build'], test: ['cargo', 'test'], restore: ['cargo', 'fetch'] }, file => [
      '--manifest-path',
      file,
    ]),
    // A file of tests/ is a target of its own; the tests of others are chosen by their module.
    choose: ({ file, test }) => [
      ...either(file, path => (path.startsWith('tests/') ? ['--test', stem(path)] : [])),
      ...either(test ?? (file === undefined || file.startsWith('tests/') ? undefined : stem(file)), name => [name]),
    ],
  },
  {
    name: 'go',
    marks: /^go\.mod$/,
    command: table({
      build: ['go', 'build', './...'],
      test: ['go', 'test', './...'],
      restore: ['go', 'mod', 'download'],
    }),
    choose: ({ file, test }) => [
      ...either(test, name => ['-run', name]),
      ...either(file, path => [`./${dirname(path)}`]),
    ],
  },
  {
    name: 'dotnet',
    marks: /\.(?:slnx?|[cf]sproj|vbproj)$/,
    command: table({ build: ['dotnet', 'build'], test: ['dotnet', 'test'], restore: ['dotnet', 'restore'] }, file => [
      file,
    ]),
    choose: ({ file, test }) =>
      either(test ?? (file && stem(file)), name => ['--filter', `FullyQualifiedName~${name}`]),
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
    choose: ({ file, test }) => [
      `-Dtest=${[...either(file, path => [stem(path)]), ...either(test, name => [name])].join('#')}`,
    ],
  },
  {
    name: 'gradle',
    marks: /^(?:build|settings)\.gradle(?:\.kts)?$/,
    command: (task, project) => GRADLE[task](project),
    choose: ({ file, test }) => [
      '--tests',
      [...either(file, path => [`*${stem(path)}`]), test ?? ''].join('.').replace(/\.$/, '*'),
    ],
  },
  {
    name: 'uv',
    marks: /^uv\.lock$/,
    command: table({ build: ['uv', 'build'], test: ['uv', 'run', 'pytest'], restore: ['uv', 'sync'] }),
    choose: pytestArguments,
  },
  {
    name: 'python',
    marks: /^(?:pyproject\.toml|setup\.(?:py|cfg)|pytest\.ini|tox\.ini|requirements\.txt|conftest\.py|uv\.lock)$/,
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
    choose: pytestArguments,
  },
  {
    name: 'cmake',
    marks: /^CMakeLists\.txt$/,
    command: table({
      build: ['cmake', '--build', 'build'],
      test: ['ctest', '--test-dir', 'build', '--output-on-failure'],
      restore: ['cmake', '-S', '.', '-B', 'build'],
    }),
    before: (task, { names }) =>
      task === 'build' && !names.has('build') ? ['cmake', '-S', '.', '-B', 'build'] : undefined,
    choose: ({ file, test }) => (file === undefined ? either(test, name => ['--tests-regex', name]) : undefined),
  },
  {
    name: 'make',
    marks: /^(?:GNUm|M|m)akefile$/,
    command: table({ build: ['make'], test: ['make', 'test'] }, file => ['-f', file]),
  },
]
