import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { runHere } from '../support/here.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** An empty folder in the repository, where modules find what is installed. */
function emptyFolder(): string {
  const folder = join(root, 'node_modules/.cache/causeway', crypto.randomUUID())
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const run = (cwd: string, ...args: string[]): { status: number | null; said: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  return { status, said: stdout + stderr }
}

describe('causeway new', () => {
  test.each(['zod', 'json'])(
    'makes a server with %s whose types are strict and whose tests pass',
    needs('npm run build', existsSync(join(root, 'packages/engine/dist/index.d.ts'))),
    async schema => {
      const folder = join(emptyFolder(), 'weather')
      const made = await runHere(['new', folder, '--schema', schema, '--json'])
      expect(made.code).toBe(0)
      const { files } = JSON.parse(made.stdout) as { files: string[] }
      const all = ['.dockerignore', '.gitignore', 'Dockerfile', 'README.md', 'package.json', 'src/server.ts']
      expect(files).toEqual(expect.arrayContaining([...all, '.github/workflows/ci.yml']))
      for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/my-server|SERVER_FOLDER/)
      const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      expect(Object.keys(dependencies)).toEqual(['@causeway/engine', ...(schema === 'zod' ? ['zod'] : [])])
      expect(run(folder, join(root, 'node_modules/typescript/bin/tsc'))).toEqual({ status: 0, said: '' })
      const tested = run(folder, '--test', 'dist/server.test.js')
      expect(tested.said).toMatch(/# fail 0|ℹ fail 0/)
      expect(tested.status).toBe(0)
    },
  )

  test('overwrites nothing, and says what a name may be', async () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, 'mine.txt'), 'mine')
    const taken = join(folder, 'taken')
    mkdirSync(taken)
    writeFileSync(join(taken, 'mine.txt'), 'mine')
    expect(await runHere(['new', taken])).toMatchObject({ code: 1, stderr: expect.stringContaining('not empty') })
    expect(readdirSync(taken)).toEqual(['mine.txt'])
    const wrong = await runHere(['new', join(folder, 'My Server')])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('causeway new my-server') })
    for (const none of [[], [''], [' ']]) expect(await runHere(['new', ...none])).toMatchObject({ code: 2 })
    const odd = join(folder, 'a; b', 'server')
    expect(await runHere(['new', odd])).toMatchObject({ code: 0, stdout: expect.stringContaining(`cd '${odd}'`) })
    expect(await runHere(['new', 'x', '--schema', 'yup'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('zod, json'),
    })
    expect(existsSync('x')).toBe(false)
  })
})
