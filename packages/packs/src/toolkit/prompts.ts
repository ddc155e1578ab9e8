import { prompt, text } from '@causeway/engine'
import type { Prompt } from '@causeway/engine'

const NAME = { name: 'project_name', description: 'Name of the project', required: true } as const
const BOOLEAN = ['true', 'false'] as const

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
        `4. Then add what a ${kind} needs besides: its manifest, its first source file and a first test.`,
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
          complete: ['cli', 'library-crate'],
        },
        { name: 'has_tests', description: 'Whether there are tests: true or false', complete: BOOLEAN },
        { name: 'has_benchmarks', description: 'Whether there are benchmarks: true or false', complete: BOOLEAN },
      ],
    },
    ({ project_name, project_type, has_tests, has_benchmarks }) =>
      script('rust', `Rust ${project_type}`, {
        project_name,
        has_tests: flag(has_tests),
        has_benchmarks: flag(has_benchmarks),
      }),
  ),
  prompt(
    {
      name: 'scaffold-deno-project',
      description: 'Scaffold a complete Deno project with Makefile, README and .gitignore',
      arguments: [
        NAME,
        { name: 'project_type', description: 'cli or web-service', required: true, complete: ['cli', 'web-service'] },
        { name: 'permissions', description: 'Permissions of Deno, separated by commas or spaces' },
      ],
    },
    ({ project_name, project_type, permissions }) =>
      script('deno', `Deno ${project_type}`, {
        project_name,
        permissions: permissions?.split(/[\s,]+/).filter(permission => permission !== ''),
      }),
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
          complete: ['cli', 'library-package'],
        },
        {
          name: 'python_version',
          description: 'Version of Python, such as 3.12',
          complete: ['3.13', '3.12', '3.11', '3.10'],
        },
      ],
    },
    ({ project_name, project_type, python_version }) =>
      script('python-uv', `Python ${project_type}`, { project_name, python_version }),
  ),
]
