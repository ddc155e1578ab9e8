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

const pytestArguments: Toolchain['choose'] = ({ file, test }, _, all) => [
  ...all,
  ...either(test, name => ['-k', name]),
  ...either(file, path => [`./${path}`]),
]

const gradleCommand =
  (...words: string[]) =>
  ({ names }: Project): string[] => [names.has('gradlew') ? './gradlew' : 'gradle', '--console=plain', ...words]
/** A file of tests/ is a target of its own; the tests of another are below its module, which the root has not. */
const cargoArguments: Toolchain['choose'] = ({ file, test }, _, all) => {
  if (file === undefined) return [...all, ...either(test, name => [name])]
  const [, above = '', kind, path = ''] = /^(.*\/)?(tests|src)\/(.+)\.rs$/.exec(file) ?? []
  const manifest = above === '' ? [] : ['--manifest-path', `./${above}Cargo.toml`]
  if (kind === 'tests') {
    const target = path.replace(/\/main$/, '')
    return target.includes('/') ? undefined : [...all, ...manifest, '--test', target, ...either(test, name => [name])]
  }
  const names = path.replace(/\/mod$/, '').split('/')
  const isRoot = kind === undefined || /^(?:lib|main|bin)$/.test(names[0] ?? '')
  return isRoot || test !== undefined ? undefined : [...all, ...manifest, `${names.join('::')}::`]
}

const GO_TEST = /^func ((?:Test|Fuzz|Example)\w*)\(/gm

/** Go runs packages: of one file, the tests that it has are named. */
const goArguments: Toolchain['choose'] = ({ file, test, source }, _, all) => {
  if (file === undefined) return [...all, ...either(test, name => ['-run', name])]
  const names = [...(source ?? '').matchAll(GO_TEST)].map(match => match[1])
  const isFolder = source === undefined && !file.endsWith('.go')
  if (!isFolder && names.length === 0) return undefined
  const chosen = names.length === 0 ? either(test, name => ['-run', name]) : ['-run', goPattern(names, test)]
  return [...all.filter(word => word !== './...'), ...chosen, `./${isFolder ? file : dirname(file)}`]
}

const goPattern = (names: readonly (string | undefined)[], test: string | undefined): string => {
  const some = test === undefined ? names : names.filter(name => name?.includes(test.split('/')[0] ?? ''))
  return some.length > 0 ? `^(${some.join('|')})$` : (test ?? '')
}

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
    choose: cargoArguments,
  },
  {
    name: 'go',
    marks: /^go\.mod$/,
    command: table({
      build: ['go', 'build', './...'],
      test: ['go', 'test', './...'],
      restore: ['go', 'mod', 'download'],
    }),
    choose: goArguments,
  },
  {
    name: 'dotnet',
    marks: /\.(?:slnx?|[cf]sproj|vbproj)$/,
    command: table({ build: ['dotnet', 'build'], test: ['dotnet', 'test'], restore: ['dotnet', 'restore'] }, file => [
      file,
    ]),
    choose: ({ file, test }, _, all) => {
      const filters = [...either(file, path => [`${stem(path)}.`]), ...either(test, name => [name])]
      return [...all, '--filter', filters.map(name => `FullyQualifiedName~${name}`).join('&')]
    },
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
    // A name that begins like a class is one; any other is that of a method.
    choose: ({ file, test }, _, all) => {
      const isClass = file === undefined && /^[A-Z]/.test(test ?? '')
      const method = test === undefined || isClass ? '' : `#*${test}*`
      return [...all, `-Dtest=${file === undefined ? (isClass ? test : '*') : stem(file)}${method}`]
    },
  },
  {
    name: 'gradle',
    marks: /^(?:build|settings)\.gradle(?:\.kts)?$/,
    command: (task, project) => GRADLE[task](project),
    choose: ({ file, test }, _, all) => {
      const of = file === undefined ? '' : `*.${stem(file)}`
      return [...all, '--tests', test === undefined ? of : `${of === '' ? '' : `${of}.`}*${test}*`]
    },
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
    choose: ({ file, test }, _, all) =>
      file === undefined ? [...all, ...either(test, name => ['--tests-regex', name])] : undefined,
  },
  {
    name: 'make',
    marks: /^(?:GNUm|M|m)akefile$/,
    command: table({ build: ['make'], test: ['make', 'test'] }, file => ['-f', file]),
  },
]
