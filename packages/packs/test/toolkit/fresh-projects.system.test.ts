import { execFileSync, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { client, folder, write } from './world.ts'

const TOOLCHAINS = ['rust', 'deno', 'python-uv', 'node', 'go']
const EVERY = ['makefile', 'readme', 'gitignore', 'ci', 'dockerfile', 'editorconfig', 'license']
const SHARED = { project_name: 'demo', description: 'A demo', author: 'Ann', year: '2026' }

interface File {
  readonly path: string
  readonly content: string
}

async function scaffold(toolchain: string, templates: readonly string[] = EVERY): Promise<File[]> {
  const { files } = (await client().call('scaffold_project', { toolchain, templates, parameters: SHARED })) as {
    files: File[]
  }
  return files
}

const isThere = (program: string, ...args: string[]): boolean =>
  spawnSync(program, [...args, '--version'], { stdio: 'ignore' }).status === 0

const isFound = (program: string): boolean => spawnSync(program, ['help'], { stdio: 'ignore' }).error === undefined

/** Where npm is, which may not be on the path that tests see. */
const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`

/** A project as its toolchain begins one, and what plain make says there. */
async function madeIn(toolchain: string, begin: readonly string[]): Promise<{ status: number | null; output: string }> {
  const root = folder()
  const project = join(root, 'demo')
  write(root, { 'demo/.keep': '' })
  const env = { ...process.env, PATH: path, npm_config_offline: 'true', npm_config_audit: 'false' }
  execFileSync(begin[0] ?? '', begin.slice(1), { cwd: project, env, stdio: 'pipe' })
  for (const file of await scaffold(toolchain, ['makefile'])) write(root, { [file.path]: file.content })
  const { status, stdout, stderr } = spawnSync('make', [], { cwd: project, env, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

describe('plain make in a fresh project', () => {
  const BEGUN: Readonly<Record<string, readonly string[]>> = {
    node: ['npm', 'init', '-y'],
    rust: ['cargo', 'init', '--name', 'demo', '--vcs', 'none', '.'],
    'python-uv': ['uv', 'init', '--no-workspace', '.'],
    deno: ['deno', 'init', '.'],
    go: ['go', 'mod', 'init', 'example.org/demo'],
  }
  const hasParts = (name: string): boolean => name !== 'rust' || (isThere('cargo', 'fmt') && isThere('cargo', 'clippy'))
  const present = Object.entries(BEGUN).filter(
    ([name, [program = '']]) => isThere('make') && isFound(program) && hasParts(name),
  )
  const absent = Object.keys(BEGUN).filter(name => !present.some(([known]) => known === name))
  // eslint-disable-next-line no-console
  if (absent.length > 0) console.log(`plain make was not tried for ${absent.join(', ')}: not installed`)

  test('ends well', { timeout: 120_000 }, async () => {
    for (const [toolchain, begin] of present) {
      const { status, output } = await madeIn(toolchain, begin)
      expect(`${toolchain}: ${status === 0 ? 'ok' : output}`).toBe(`${toolchain}: ok`)
    }
  })
})

describe('every file of a project', () => {
  test.each(TOOLCHAINS)('is made for %s, and reads as what it is', async toolchain => {
    const files = await scaffold(toolchain)
    expect(files.map(file => file.path)).toEqual([
      'demo/Makefile',
      'demo/README.md',
      'demo/.gitignore',
      '.github/workflows/ci-demo.yml',
      'demo/Dockerfile',
      'demo/.editorconfig',
      'demo/LICENSE',
    ])
    const [, , , ci, docker, editor, license] = files.map(file => file.content)
    const { jobs } = parse(ci ?? '') as { jobs: { check: { steps: object[] } } }
    expect(jobs.check.steps.length).toBeGreaterThan(2)
    const instructions = (docker ?? '').split('\n').filter(line => line !== '' && !line.startsWith('#'))
    expect(instructions[0]).toMatch(/^FROM \S+/)
    expect(instructions.at(-1)).toMatch(/^ENTRYPOINT \["/)
    expect(editor).toMatch(/^root = true\n/)
    expect(license).toContain('Copyright (c) 2026 Ann')
    for (const { content } of files) expect(content).not.toMatch(/\{\{|\{%/)
  })

  test.each(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'])('the licence %s is itself', async license => {
    const text = await client().request('tools/call', {
      name: 'generate_template',
      arguments: {
        resource_uri: 'template://license/any/cli',
        parameters: { author: 'Ann', year: '2024-2026', license },
      },
    })
    const [{ text: words }] = text.content as [{ text: string }]
    expect(words).toMatch(/AS IS/)
    expect(words).toMatch(/Ann/)
    expect(words.includes('Neither the name')).toBe(license === 'BSD-3-Clause')
  })
})
