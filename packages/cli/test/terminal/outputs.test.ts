import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BINARY } from '../../../../test/support/spawned.ts'
import { needs } from '../../../../test/support/needs.ts'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Start {
  readonly cwd?: string
  readonly stdout?: number | 'pipe'
  readonly stderr?: number | 'pipe'
  readonly input?: string
  /** Called with what was logged so far, whenever there is more. */
  readonly onLog?: (log: string, stop: () => void) => void
}

/** Run the command to its end with outputs of its own. */
function run(args: readonly string[], { stdout: out = 'pipe', stderr: err = 'pipe', ...start }: Start): Promise<Ended> {
  // Through a shell that does nothing else, since spawn itself wants a directory that exists.
  const command = [process.execPath, BINARY, ...args]
  const child = spawn(
    '/bin/sh',
    ['-c', `${start.cwd === undefined ? '' : `cd ${start.cwd} && rmdir ${start.cwd};`} exec "$@"`, 'sh', ...command],
    {
      stdio: ['pipe', out, err],
    },
  )
  let [stdout, stderr] = ['', '']
  child.stdin?.on('error', () => {})
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    start.onLog?.(stderr, () => child.kill('SIGTERM'))
  })
  // Left open where there is input, since a server ends with it.
  if (start.input === undefined) child.stdin?.end()
  else child.stdin?.write(start.input)
  return new Promise(resolve => child.once('close', code => resolve({ code, stdout, stderr })))
}

const FULL = '/dev/full'

describe('a standard output that is full', needs(FULL, existsSync(FULL)), () => {
  const onFull = async (args: readonly string[], start: Start = {}): Promise<Ended> => {
    const full = openSync(FULL, 'w')
    try {
      return await run(args, { ...start, stdout: full })
    } finally {
      closeSync(full)
    }
  }

  test.each([
    'list --pack basics',
    'help',
    'version',
    'call system_ping --pack basics',
    'describe system_ping',
    'token ann',
  ])('causeway %s says so and ends with 1', async line => {
    const { code, stderr } = await onFull(line.split(' '))
    expect(stderr).toMatch(/causeway: Standard output cannot be written: ENOSPC.*\n$/)
    expect(stderr).not.toContain('    at ')
    expect(code).toBe(1)
  })

  test('serving on stdio ends with 1, though the client stays', async () => {
    const { code, stderr } = await onFull(['--log-level', 'error'], {
      input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    })
    expect(stderr).toMatch(/^causeway: Standard output cannot be written: ENOSPC.*\n$/)
    expect(code).toBe(1)
  })

  test('serving over HTTP loses only its banner', async () => {
    const { code, stderr } = await onFull(['--http', '--port', '0', '--pack', 'basics'], {
      onLog: (log, stop) => void (log.includes('ENOSPC') && stop()),
    })
    expect(stderr).toContain('"level":"warn","message":"Standard output cannot be written: ENOSPC')
    expect(stderr).toContain('"stopped"')
    expect(code).toBe(0)
  })

  test('so is standard error: the command does its work', async () => {
    const full = openSync(FULL, 'w')
    // Something to log about: a module that cannot be loaded.
    const folder = mkdtempSync(join(tmpdir(), 'causeway-broken-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'broken.js'), 'not a module')
    const { code, stdout } = await run(['list', '--pack', 'basics', '--tools-dir', folder], { stderr: full })
    closeSync(full)
    expect(stdout).toContain('system_ping')
    expect(code).toBe(0)
  })
})

describe('a current directory that was deleted', () => {
  const gone = (): string => mkdtempSync(join(tmpdir(), 'causeway-gone-'))

  test.each(['', 'list', 'call system_ping', '--http --port 0'])('causeway %s says what to do', async line => {
    const ended = await run(line.split(' ').filter(Boolean), { cwd: gone() })
    expect(ended).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'causeway: The current directory no longer exists. Change to another one, or give absolute paths: --root DIR.\n',
    })
  })

  test('does no harm where a root is named', async () => {
    const root = gone()
    const { code, stdout, stderr } = await run(['call', 'list_directory', 'path=.', '--root', root], { cwd: gone() })
    rmdirSync(root)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.any(String), stderr: '' })
  })

  test('nor to what needs none', async () => {
    expect(await run(['version'], { cwd: gone() })).toMatchObject({ code: 0, stderr: '' })
  })
})
