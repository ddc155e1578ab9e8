import { didYouMean, fault, prompt, text } from '@causeway/engine'
import type { Prompt } from '@causeway/engine'

const NAME = { name: 'project_name', description: 'Name of the project', required: true } as const
const BOOLEAN = ['true', 'false'] as const

/** What each argument may be: one of some words, what matches, or a list of what matches. */
type Allowed = Readonly<Record<string, readonly string[] | RegExp | { readonly each: RegExp }>>

const PROJECT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const PERMISSION = /^(-A|--(allow|deny)-[a-z]+(=[A-Za-z0-9_.:/@-]+)?)$/
const RUST_TYPES = ['cli', 'library-crate'] as const
const DENO_TYPES = ['cli', 'web-service'] as const
const PYTHON_TYPES = ['cli', 'library-package'] as const

/** Refuse what an argument does not allow, everything at once. */
function check(name: string, given: Readonly<Record<string, string | undefined>>, allowed: Allowed): void {
  const problems = Object.entries(given).flatMap(([key, value]) => problemOf(key, value, allowed) ?? [])
  if (problems.length > 0) {
    throw fault('invalid-params', `Invalid arguments for prompt '${name}': ${problems.join(' ')}`)
  }
}

function problemOf(name: string, value: string | undefined, allowed: Allowed): string | undefined {
  if (!Object.hasOwn(allowed, name)) {
    const hint = didYouMean(name, Object.keys(allowed))
    const known = `Supported arguments: ${Object.keys(allowed).join(', ')}.`
    return [`Unknown argument '${name.slice(0, 100)}'.`, hint, known].filter(part => part !== undefined).join(' ')
  }
  const test = allowed[name]!
  // An optional argument left empty was not given.
  if (value === undefined || (value === '' && name !== NAME.name && name !== 'project_type')) return undefined
  const shown = `got '${value.slice(0, 100)}'.`
  if (test instanceof RegExp) {
    return test.test(value) ? undefined : `Argument '${name}' must match ${test.source}, ${shown}`
  }
  if ('each' in test) {
    const isFit = listed(value).every(item => test.each.test(item))
    return isFit ? undefined : `Each of '${name}' must match ${test.each.source}, ${shown}`
  }
  return test.includes(value.toLowerCase()) ? undefined : `Argument '${name}' must be ${test.join(' or ')}, ${shown}`
}

/** Items separated by commas or spaces. */
const listed = (value: string): string[] => value.split(/[\s,]+/).filter(item => item !== '')

/** A request to scaffold, in words and as the call to make. */
function script(toolchain: string, kind: string, parameters: Record<string, unknown>): ReturnType<Prompt['get']> {
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined))
  const call = { toolchain, templates: ['makefile', 'readme', 'gitignore'], parameters: given }
  return [
    text(
      `Scaffold a ${kind} called ${String(given.project_name)} for the ${toolchain} toolchain.\n\n` +
        `1. Write one sentence that describes the project, and add it to the parameters as "description".\n` +
        `2. Call the tool scaffold_project with these arguments:\n\n` +
        `${JSON.stringify(call, null, 2)}\n\n` +
        `3. Show the files it returns, and offer to write them (scaffold_project with "write": true).\n` +
        `4. Then add what else a ${kind} needs: its manifest, its first source file and a first test.`,
    ),
  ]
}

const flag = (value: string | undefined): boolean | undefined =>
  value === undefined || value === '' ? undefined : value.toLowerCase() === 'true'

/** The documented prompts. */
export const prompts: readonly Prompt[] = [
  prompt(
    {
      name: 'scaffold-rust-project',
      description: 'Scaffold a complete Rust project with Makefile, README and .gitignore',
      arguments: [
        NAME,
        {
          name: 'project_type',
          description: 'cli or library-crate',
          required: true,
          complete: RUST_TYPES,
        },
        { name: 'has_tests', description: 'Whether there are tests: true or false', complete: BOOLEAN },
        { name: 'has_benchmarks', description: 'Whether there are benchmarks: true or false', complete: BOOLEAN },
      ],
    },
    given => {
      const { project_name, project_type, has_tests, has_benchmarks } = given
      check('scaffold-rust-project', given, {
        project_name: PROJECT_NAME,
        project_type: RUST_TYPES,
        has_tests: BOOLEAN,
        has_benchmarks: BOOLEAN,
      })
      return script('rust', `Rust ${project_type}`, {
        project_name,
        has_tests: flag(has_tests),
        has_benchmarks: flag(has_benchmarks),
      })
    },
  ),
  prompt(
    {
      name: 'scaffold-deno-project',
      description: 'Scaffold a complete Deno project with Makefile, README and .gitignore',
      arguments: [
        NAME,
        { name: 'project_type', description: 'cli or web-service', required: true, complete: DENO_TYPES },
        { name: 'permissions', description: 'Permissions of Deno, separated by commas or spaces' },
      ],
    },
    given => {
      const { project_name, project_type, permissions } = given
      check('scaffold-deno-project', given, {
        project_name: PROJECT_NAME,
        project_type: DENO_TYPES,
        permissions: { each: PERMISSION },
      })
      return script('deno', `Deno ${project_type}`, {
        project_name,
        permissions: permissions === undefined ? undefined : listed(permissions),
      })
    },
  ),
  prompt(
    {
      name: 'scaffold-python-project',
      description: 'Scaffold a complete Python project, managed by uv, with Makefile, README and .gitignore',
      arguments: [
        NAME,
        {
          name: 'project_type',
          description: 'cli or library-package',
          required: true,
          complete: PYTHON_TYPES,
        },
        {
          name: 'python_version',
          description: 'Version of Python, such as 3.12',
          complete: ['3.13', '3.12', '3.11', '3.10'],
        },
      ],
    },
    given => {
      const { project_name, project_type, python_version } = given
      check('scaffold-python-project', given, {
        project_name: PROJECT_NAME,
        project_type: PYTHON_TYPES,
        python_version: /^3\.[0-9]{1,2}$/,
      })
      return script('python-uv', `Python ${project_type}`, {
        project_name,
        python_version: python_version || undefined,
      })
    },
  ),
]
