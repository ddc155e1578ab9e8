import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { environment } from '../../../src/support/processes/environment.ts'
import { run } from '../../../src/support/processes/exec.ts'
import type { Command } from '../../../src/support/processes/exec.ts'
import { folder } from '../place.ts'
import { running, until } from '../processes.ts'

const cwd = folder()
const env = { PATH: process.env.PATH ?? '' }
const sh = (script: string, more: Partial<Command> = {}): Promise<unknown> =>
  run({ program: 'sh', args: ['-c', script], cwd, env, ...more })

/** A name that no other process has in its command line. */
const unique = (): string => `mark-${crypto.randomUUID()}`
const failure = (work: Promise<unknown>): Promise<Error & { kind?: string }> =>
  work.then(
    () => Promise.reject(new Error('It did not fail')),
    (error: Error) => error,
  )

test('what a program wrote, and how it ended', async () => {
  expect(await sh('echo out; echo err >&2; exit 3')).toMatchObject({
    code: 3,
    signal: null,
    stdout: 'out\n',
    stderr: 'err\n',
  })
  expect(await sh('kill -9 $$')).toMatchObject({ code: null, signal: 'SIGKILL' })
})

test('nothing of our environment is passed on, and no shell reads the words', async () => {
  process.env.A_SECRET = 'secret'
  const { stdout } = await run({ program: 'env', args: [], cwd, env: { ...env, ONLY: 'this' } })
  delete process.env.A_SECRET
  expect(stdout).not.toContain('A_SECRET')
  expect(stdout).toContain('ONLY=this')
  const words = ['$HOME', '`id`', '; rm -rf /', '| cat', '"', "'", '*', '\n']
  const echoed = await run({ program: 'printf', args: ['%s|', ...words], cwd, env })
  expect(echoed.stdout).toBe(words.map(word => `${word}|`).join(''))
})

test('both streams are drained, however much there is', async () => {
  const script = 'i=0; while [ $i -lt 10000 ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); done'
  const { stdout, stderr } = (await sh(script)) as { stdout: string; stderr: string }
  expect(stdout.trim().split('\n')).toHaveLength(10_000)
  expect(stderr.trim().split('\n')).toHaveLength(10_000)
})

test('of too much the beginning and the end are kept, in little memory', async () => {
  const before = process.memoryUsage().rss
  const { stdout } = (await sh('echo first; head -c 200000000 /dev/zero | tr "\\0" x; echo; echo last', {
    keep: 10_000,
  })) as { stdout: string }
  expect(stdout).toMatch(/^first\nx+\n\n\[… \d+ bytes left out/)
  expect(stdout).toMatch(/x\nlast\n$/)
  expect(stdout.length).toBeLessThan(10_200)
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
})

test('lines are heard as they come, whole, and a last one without an end', async () => {
  const heard: string[] = []
  await sh('printf "a\\nb"; printf "c\\nd"', { onLines: lines => heard.push(...lines) })
  expect(heard).toEqual(['a', 'bc', 'd'])
  const long: number[] = []
  await sh('head -c 1000000 /dev/zero | tr "\\0" y', { onLines: lines => long.push(...lines.map(l => l.length)) })
  expect(Math.max(...long)).toBeLessThanOrEqual(64 * 1024)
})

test('a program that is missing, or cannot be run, is named', async () => {
  writeFileSync(join(cwd, 'plain.txt'), '')
  // A folder in PATH that this user may not look into would be the reason.
  await expect(
    run({ program: 'no-such-program', args: [], cwd, env: { ...env, PATH: '/usr/bin:/bin' } }),
  ).rejects.toThrow("Program 'no-such-program' was not found")
  await expect(run({ program: './plain.txt', args: [], cwd, env })).rejects.toThrow('cannot be executed')
  await expect(run({ program: 'echo', args: ['a\0b'], cwd, env })).rejects.toThrow('cannot contain NUL')
  await expect(run({ program: 'echo', args: ['x'.repeat(3_000_000)], cwd, env })).rejects.toThrow('too long')
})

test('time runs out: the error says so, and the group is gone, also what ignores the polite signal', async () => {
  const mark = unique()
  const script = `trap "" TERM; (trap "" TERM; sleep 1000; echo ${mark}) & sleep 1000; echo ${mark}`
  const error = await failure(sh(script, { timeoutMs: 200 }))
  expect(error.kind).toBe('timeout')
  expect(error.message).toBe("'sh' was stopped after 0.2 s")
  expect(running(mark)).toEqual([])
})

test('a polite signal is heard before the other one comes', async () => {
  const [file, ready] = [join(cwd, 'cleaned-up'), join(cwd, 'ready')]
  const stop = new AbortController()
  const script = `trap 'echo done > ${file}; exit 0' TERM; touch ${ready}; while :; do sleep 0.05; done`
  const stopped = failure(sh(script, { signal: stop.signal }))
  await until(() => existsSync(ready))
  stop.abort(new Error('enough'))
  await stopped
  expect(readFileSync(file, 'utf8')).toBe('done\n')
})

test('cancelled: the reason comes back, and nothing is left', async () => {
  const mark = unique()
  const stop = new AbortController()
  const work = sh(`sh -c 'sleep 1000; echo ${mark}' & sh -c 'sleep 1000; echo ${mark}'`, { signal: stop.signal })
  await until(() => running(mark).length >= 3)
  const reason = new Error('enough')
  stop.abort(reason)
  expect(await failure(work)).toBe(reason)
  expect(running(mark)).toEqual([])
  expect(await failure(sh('true', { signal: stop.signal }))).toBe(reason)
})

test('what a program leaves behind ends with it', async () => {
  const mark = unique()
  expect(await sh(`(sleep 1000; echo ${mark}) & echo started`)).toMatchObject({ code: 0, stdout: 'started\n' })
  expect(running(mark)).toEqual([])
})

test('what leaves its group, and its parent, is found all the same', async () => {
  const mark = unique()
  const file = join(cwd, 'escape.sh')
  writeFileSync(file, `setsid sh -c 'sleep 1000; echo ${mark}' & sleep 1000; echo ${mark}`)
  const escape = `setsid sh ${file} ${mark} >/dev/null 2>&1 &`
  const stop = new AbortController()
  const stopped = failure(sh(`${escape} sleep 1000; echo ${mark}`, { wild: true, signal: stop.signal }))
  await until(() => running(mark).length >= 3)
  stop.abort(new Error('enough'))
  expect((await stopped).message).toBe('enough')
  expect(running(mark)).toEqual([])
  expect(await sh(`${escape} sleep 0.5; echo started`, { wild: true })).toMatchObject({ stdout: 'started\n' })
  expect(running(mark)).toEqual([])
})

test('an escaped writer does not keep us waiting for the end of the output', async () => {
  const mark = unique()
  // It has left the group before the shell ends.
  const escapee = `env -i setsid sh -c 'echo gone > ${mark}; sleep 1000'`
  const { stdout } = (await sh(`mkfifo ${mark}; ${escapee} & read answer < ${mark}; echo now`)) as { stdout: string }
  expect(stdout).toBe('now\n')
  const left = running(mark)
  expect(left).toHaveLength(1)
  for (const pid of left) process.kill(-pid, 'SIGKILL')
})

test('the environment of a child has what tools need, and no secrets', () => {
  const mine = {
    MY_TOKEN: 'x',
    HTTP_PROXY: 'http://user:password@proxy',
    https_proxy: 'http://proxy:8080',
    LC_MESSAGES: 'C',
    EXTRA: 'wanted',
    NODE_OPTIONS: '--require=/evil.js',
    LD_PRELOAD: '/evil.so',
    GIT_DIR: '/evil',
  }
  const before = { ...process.env }
  Object.assign(process.env, mine, { PATH: `.:relative::/usr/bin:/root-of-mine/bin:${before.PATH}` })
  try {
    const kept = environment({ also: ['EXTRA'], accepts: path => !path.startsWith('/root-of-mine') })
    expect(kept).toMatchObject({ https_proxy: 'http://proxy:8080', LC_MESSAGES: 'C', EXTRA: 'wanted', NO_COLOR: '1' })
    for (const name of ['MY_TOKEN', 'HTTP_PROXY', 'NODE_OPTIONS', 'LD_PRELOAD', 'GIT_DIR'])
      expect(kept).not.toHaveProperty(name)
    expect(kept.PATH?.split(':').every(folder => folder.startsWith('/'))).toBe(true)
    expect(kept.PATH).toContain('/usr/bin')
    expect(kept.PATH).not.toContain('/root-of-mine')
    expect(environment({ accepts: () => false }).PATH).toContain('/root-of-mine/bin')
  } finally {
    for (const name of Object.keys(mine)) delete process.env[name]
    Object.assign(process.env, before)
  }
})

test('a working directory that is held open is used, whatever its path is now', async () => {
  expect(existsSync(cwd)).toBe(true)
  const { stdout } = (await sh('pwd')) as { stdout: string }
  expect(stdout).toBe(`${cwd}\n`)
})

test('without descriptors to be had a program is not started, which is an error and nothing worse', async () => {
  const program = join(folder(), 'descriptors.js')
  const bundle = await rolldown({
    input: new URL('./descriptors.ts', import.meta.url).pathname,
    platform: 'node',
    resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
  })
  await bundle.write({ file: program, format: 'esm', codeSplitting: false })
  const { code, stdout, stderr } = await run({
    program: 'sh',
    args: ['-c', `ulimit -n 60 && exec "$0" "$1"`, process.execPath, program],
    cwd,
    env,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { failed, stdout: last } = JSON.parse(stdout) as { failed: string[]; stdout: string }
  expect(failed[0]).toMatch(/'echo' could not be started: the system has no room for it now \(EMFILE\)/)
  expect(failed.filter(words => words !== 'hello' && !words.includes('EMFILE'))).toEqual([])
  expect(last).toBe('hello\n')
})

test.each(['linux'].filter(platform => platform === process.platform))(
  'memory beyond the limit is not given, on %s',
  async () => {
    const hungry = 'head -c 300000000 /dev/zero | tail -c 200000000 | wc -c'
    expect(await sh(hungry)).toMatchObject({ code: 0, stdout: expect.stringContaining('200000000') })
    const limited = await sh(hungry, { program: '/bin/sh', memoryBytes: 64 * 1024 ** 2 })
    expect(limited).toMatchObject({ stderr: expect.stringMatching(/memory/) })
  },
)
