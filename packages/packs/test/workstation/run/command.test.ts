import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createServer } from '@causeway/engine'
import { timeout } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { RpcError } from '@causeway/engine'
import { workstation } from '@causeway/packs/workstation'
import { SEED, fill, folder, open, refusal, worker } from '../place.ts'
import { running, until } from '../processes.ts'

const root = folder({ 'sub/x.txt': '' })
const client = open({ roots: [root], allowCommand: ['*'] })
const command = (line: string, more: Record<string, unknown> = {}): Promise<unknown> =>
  client.call('run_command', { command: line, ...more })

test('a command runs in the first root, or where it is told', async () => {
  expect(await command('pwd')).toBe(`${root}\n`)
  expect(await command('pwd', { workingDirectory: 'sub' })).toBe(`${join(root, 'sub')}\n`)
  expect(await command('pwd', { workingDirectory: '' })).toBe(`${root}\n`)
})

test('words arrive as they were meant, also empty ones', async () => {
  const print = `node -e "console.log(JSON.stringify(process.argv.slice(1)))" --`
  expect(await command(`${print} "two words" 'it "is"' "" a\\nb $HOME *`)).toBe(
    `${JSON.stringify(['two words', 'it "is"', '', 'a\\nb', '$HOME', '*'])}\n`,
  )
})

test('no shell reads it', async () => {
  expect(await command("echo 'a; touch evil && touch evil | touch evil > evil' `touch evil` $(touch evil) a=b")).toBe(
    'a; touch evil && touch evil | touch evil > evil `touch evil` $(touch evil) a=b\n',
  )
  expect(await client.call('file_exists', { path: 'evil' })).toEqual({ exists: false })
})

test('what only a shell would understand is refused, with what to do instead', async () => {
  for (const [line, words] of [
    ['echo hi > evil', 'There is no shell that would understand >. The output is returned'],
    ['echo hi >evil', 'understand >.'],
    ['echo hi 2>&1', 'understand 2>&1. The output is returned, stderr too'],
    ['ls 2>/dev/null', 'understand 2>.'],
    ['ls &> evil', 'understand &>'],
    ['cat < a', 'understand <. Name the file'],
    ['cat README.md | head -3', 'understand |. Run the first program alone'],
    ['true && touch evil', 'understand &&. Run one program per call'],
    ['false || touch evil', 'understand ||.'],
    ['echo a; touch evil', 'understand ;.'],
    ['sleep 5 &', 'understand &. start_command'],
    ['PORT=1 echo x', 'no shell that would set PORT. Pass it as the argument env, such as {"PORT": "…"}'],
  ] as const) {
    const error = await refusal(command(line))
    expect({ line, code: error.code, message: error.message }).toEqual({
      line,
      code: -32602,
      message: expect.stringContaining(words),
    })
  }
  expect((await refusal(command('a | b'))).message).toContain('Or run sh -c "…", which is allowed here. Quote it')
  const some = open({ roots: [root], allowCommand: ['echo'] })
  const error = await refusal(some.call('run_command', { command: 'echo a | echo b' }))
  expect(error.message).not.toContain('sh -c')
  expect(await some.call('run_command', { command: "echo '|' '>' a&b http://x/?a=1&b=2 x>y" })).toBe(
    '| > a&b http://x/?a=1&b=2 x>y\n',
  )
  const begun = await refusal(client.call('start_command', { command: 'sleep 9 | cat' }))
  expect(begun.message).toContain('There is no shell that would understand |')
})

test('variables are given as an argument, as far as the operator allows them', async () => {
  const print = 'node -e "console.log(process.env.COLOUR)"'
  expect(await command(print, { env: { COLOUR: 'a $b "c"' } })).toBe('a $b "c"\n')
  const begun = String(await client.call('start_command', { command: print, env: { COLOUR: 'blue' } }))
  const [id] = /command-[\w-]+/.exec(begun) ?? []
  await vi.waitFor(async () => expect(String(await client.call('command_output', { id }))).toContain('blue'))
  const some = open({ roots: [root], allowCommand: ['echo', 'COLOUR=* MODE=fast node -e *'] })
  const say = (env: Record<string, string>): Promise<unknown> => some.call('run_command', { command: print, env })
  expect(await say({ COLOUR: 'red', MODE: 'fast' })).toBe('red\n')
  expect(await say({})).toBe('undefined\n')
  for (const env of [{ NODE_OPTIONS: '--version' }, { MODE: 'slow' }, { COLOUR: 'red', LD_PRELOAD: 'x' }]) {
    const error = await refusal(say(env))
    expect(error.message).toContain(`is allowed, but not with these variables: ${Object.keys(env).join(', ')}`)
  }
  const echoed = some.call('run_command', { command: 'echo', env: { COLOUR: 'red' } })
  expect((await refusal(echoed)).message).toContain('not with these variables')
  for (const env of [{ 'A-B': 'x' }, { A: 1 }, { '': 'x' }, { A: 'x\0y' }])
    expect((await refusal(command('env', { env }))).code).toBe(-32602)
})

test('stderr of a command that succeeds is told too', async () => {
  expect(await command(`sh -c "echo out; echo warning >&2"`)).toBe('out\n\n[stderr]\nwarning\n')
})

test('a failed command: its exit code, stderr and stdout', async () => {
  const error = await refusal(command(`sh -c "echo some output; echo the reason >&2; exit 7"`))
  expect(error.code).toBe(-32603)
  expect(error.message).toMatch(/failed with exit code 7\.\n\[stderr\]\nthe reason\n\[stdout\]\nsome output$/)
  expect((await refusal(command(`sh -c "kill -9 $$"`))).message).toContain('was ended by SIGKILL')
  const long = await refusal(command(`sh -c "head -c 1000000 /dev/zero | tr '\\0' x; exit 1"`))
  expect(long.message.length).toBeLessThan(40_000)
  expect(long.message).toContain('left out')
  const missing = await refusal(command('no-such-program'))
  expect(missing.message).toBe("Program 'no-such-program' was not found")
})

test('the whole output comes back up to the limit of a result, then its beginning and its end', async () => {
  const print = (bytes: number): string => `sh -c "echo begin; head -c ${bytes} /dev/zero | tr '\\0' x; echo; echo end"`
  const whole = String(await command(print(5_000_000)))
  expect(whole).toHaveLength(5_000_000 + 'begin\n\nend\n'.length)
  const limited = open({ roots: [root], allowCommand: ['*'], limits: { resultBytes: 100_000 } })
  const cut = String(await limited.call('run_command', { command: print(5_000_000) }))
  expect(cut).toMatch(/^begin\nx+\n\n\[… \d+ bytes left out; this is the beginning and the end …\]\n\nx+\nend\n$/)
  expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThan(100_000)
  const both = `sh -c "head -c 5000000 /dev/zero | tr '\\0' x; head -c 5000000 /dev/zero | tr '\\0' y >&2"`
  const result = await limited.request('tools/call', { name: 'run_command', arguments: { command: both } })
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(100_000)
  const [out = '', err = ''] = (result.content as { text: string }[]).map(block => block.text)
  for (const text of [out, err]) {
    const missing = Number(/(\d+) bytes left out/.exec(text)?.[1])
    expect(missing + (text.match(/x{9,}|y{9,}/g) ?? []).join('').length).toBe(5_000_000)
  }
})

test('what is no command is refused with the reason', async () => {
  for (const [line, words] of [
    ['', 'must name a program'],
    ['echo "x', 'unclosed "'],
    ["echo 'x", "unclosed '"],
    ['echo x\\', 'backslash'],
  ] as const) {
    const error = await refusal(command(line))
    expect({ code: error.code, message: error.message }).toEqual({
      code: -32602,
      message: expect.stringContaining(words),
    })
  }
})

test('directories outside are refused', async () => {
  const outside = folder()
  symlinkSync(outside, join(root, 'out'))
  for (const workingDirectory of ['..', '/', outside, 'out', 'sub/../..', '/proc/self/cwd', '/proc/1/root']) {
    const error = await refusal(command('pwd', { workingDirectory }))
    expect(error.code).toBe(-32602)
    expect(error.message).toContain("'workingDirectory' leads outside")
  }
  await expect(command('pwd', { workingDirectory: 'sub/x.txt' })).rejects.toThrow('not a directory')
})

test('a program given by a path from there must be inside too', async () => {
  const outside = folder()
  for (const [at, name] of [
    [root, 'inside.sh'],
    [outside, 'outside.sh'],
  ] as const) {
    writeFileSync(join(at, name), '#!/bin/sh\necho ran\n')
    chmodSync(join(at, name), 0o755)
  }
  symlinkSync(join(outside, 'outside.sh'), join(root, 'link.sh'))
  expect(await command('./inside.sh')).toBe('ran\n')
  expect(await command('../inside.sh', { workingDirectory: 'sub' })).toBe('ran\n')
  await expect(command('./link.sh')).rejects.toThrow('outside')
  await expect(command(`../${outside.split('/').at(-1)}/outside.sh`)).rejects.toThrow('outside')
})

test('only what is allowed runs, and the tool says what that is', async () => {
  const some = open({ roots: [root], allowCommand: ['echo', 'node --version', 'npm run *'] })
  const { tools } = await some.request('tools/list')
  const listed = (tools as { name: string; description: string }[]).find(tool => tool.name === 'run_command')
  expect(listed?.description).toContain("Allowed: 'echo', 'node --version', 'npm run *'")
  expect(await some.call('run_command', { command: 'echo hello' })).toBe('hello\n')
  expect(await some.call('ci/run', { command: 'node --version' })).toBe(`${process.version}\n`)
  for (const line of ['node -e 1', 'sh', './echo', '/bin/sh', 'env echo x', 'npm exec x', 'ECHO']) {
    await expect(some.call('run_command', { command: line })).rejects.toThrow('is not allowed')
  }
})

test('without a pattern, or when nothing may be written, there is no such tool', async () => {
  for (const options of [{ roots: [root] }, { roots: [root], readOnly: true, allowCommand: ['*'] }]) {
    const none = open(options)
    const { tools } = await none.request('tools/list')
    expect((tools as { name: string }[]).map(tool => tool.name)).not.toContain('run_command')
    for (const name of ['run_command', 'ci/run_command']) {
      expect((await refusal(none.call(name, { command: 'true' }))).code).toBe(-32601)
    }
  }
})

test('the environment of a command holds no secrets, unless they are named', async () => {
  process.env.SOME_TOKEN = 'secret'
  const named = open({ roots: [root], allowCommand: ['*'], environment: ['SOME_TOKEN'] })
  const [without, withIt] = [await command('env'), await named.call('run_command', { command: 'env' })]
  delete process.env.SOME_TOKEN
  expect(String(without)).not.toContain('SOME_TOKEN')
  expect(String(withIt)).toContain('SOME_TOKEN=secret')
})

test('lines are told as progress while a command runs', async () => {
  const own = open({ roots: [root], allowCommand: ['*'] })
  await own.request('tools/call', {
    name: 'run_command',
    arguments: { command: `sh -c "echo one; sleep 0.1; echo two; echo three >&2"` },
    _meta: { progressToken: 'p' },
  })
  const updates = own.seen.flatMap(message =>
    'method' in message && message.method === 'notifications/progress' ? [message.params] : [],
  ) as { progress: number; message: string; progressToken: string }[]
  expect(updates.flatMap(({ message }) => message.split('\n')).toSorted()).toEqual(['one', 'three', 'two'])
  expect(updates.map(({ progress }) => progress)).toEqual(
    updates.map(({ progress }) => progress).toSorted((a, b) => a - b),
  )
  expect(updates.at(-1)?.progress).toBe(3)
  expect(updates.every(({ progressToken }) => progressToken === 'p')).toBe(true)
})

test('time runs out: −32000, and the command is gone', async () => {
  const mark = `mark-${crypto.randomUUID()}`
  const short = open({ roots: [root], allowCommand: ['*'] }, { timeoutMs: 300 })
  const error = await refusal(short.call('run_command', { command: `sh -c "trap '' TERM; sleep 1000; echo ${mark}"` }))
  expect(error).toMatchObject({ code: -32000, message: 'Tool execution timeout' })
  await until(() => running(mark).length === 0)
  const own = open({ roots: [root], allowCommand: ['*'], limits: { timeMs: 200 } })
  expect((await refusal(own.call('run_command', { command: 'sleep 1000' }))).code).toBe(-32000)
})

test('what a command wrote until its time was up is returned, with what to do, also where no time was asked for', async () => {
  const own = open({ roots: [root], allowCommand: ['*'] }, { timeoutMs: 2000, dialect: {} })
  const { message } = await refusal(own.call('run_command', { command: 'sh -c "echo so far; exec sleep 1000"' }))
  expect(message).toMatch(
    /was stopped after 1\.8 s, before its end\. .*argument timeout\. start_command runs it in the/,
  )
  expect(message).toContain('so far')
})

test('a cancelled call ends its command', async () => {
  const mark = `mark-${crypto.randomUUID()}`
  const own = open({ roots: [root], allowCommand: ['*'] }, { client: { version: '2025-06-18' } })
  await own.request('tools/list')
  const params = { name: 'run_command', arguments: { command: `sh -c "sleep 1000; echo ${mark}"` } }
  const call = own.raw(JSON.stringify({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params }))
  await until(() => running(mark).length > 0)
  await own.notify('notifications/cancelled', { requestId: 'c' })
  expect(await call).toBeUndefined()
  await until(() => running(mark).length === 0)
})

test('builds, tests and restores with the project’s own tool', async () => {
  const project = folder({
    'package.json': JSON.stringify({
      name: 'p',
      version: '1.0.0',
      scripts: { build: 'echo built in $PWD, CI=$CI', test: 'echo failing >&2; exit 1' },
    }),
    Makefile: '',
  })
  const ci = open({ roots: [project] })
  expect(String(await ci.call('ci_build', {}))).toContain(`built in ${project}, CI=true`)
  expect(String(await ci.call('build', { projectPath: 'package.json' }))).toContain('built in')
  const failed = await refusal(ci.call('ci_run_tests', { projectPath: '.' }))
  expect(failed.code).toBe(-32603)
  expect(failed.message).toMatch(
    /^Toolchain npm \(also possible: make\)\. 'npm run test' failed with exit code 1\.\n\[stderr\]\n[^]*failing/,
  )
  const restored = String(await ci.call('restore', {}))
  expect(restored).toMatch(/up to date/)
})

test('a project is recognised by its files', async () => {
  const all = folder()
  const bin = folder()
  // Stand-ins that say how they were called.
  for (const name of ['pnpm', 'cargo', 'go', 'dotnet', 'mvn', 'uv', 'python3', 'npm']) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  fill(all, {
    'pnpm/pnpm-lock.yaml': '',
    'pnpm/package.json': '{}',
    'npm-locked/package-lock.json': '{}',
    'npm-locked/package.json': '{}',
    'cargo/Cargo.toml': '',
    'go/go.mod': '',
    'dotnet/app.csproj': '',
    'sln/all.sln': '',
    'odd/--evil.csproj': '',
    'maven/pom.xml': '',
    'uv/uv.lock': '',
    'uv/pyproject.toml': '',
    'python/pyproject.toml': '',
    'pip/requirements.txt': '',
    'make/Makefile': 'all:\n\t@echo made all\ntest:\n\t@echo made test\n',
    'empty/readme.txt': '',
  })
  const path = process.env.PATH
  process.env.PATH = `${bin}:${path}`
  const ci = open({ roots: [all] })
  const said = async (tool: string, projectPath: string): Promise<string> =>
    String(await ci.call(tool, { projectPath }).catch((error: Error) => error.message))
      .split('\n')
      .at(-1) ?? ''
  try {
    for (const [where, build, tests, restore] of [
      ['pnpm', 'pnpm run build', 'pnpm run test', 'pnpm install --frozen-lockfile'],
      ['pnpm/package.json', 'pnpm run build', 'pnpm run test', 'pnpm install --frozen-lockfile'],
      ['npm-locked', 'npm run build', 'npm run test', 'npm ci --no-fund --no-audit'],
      ['cargo', 'cargo build', 'cargo test', 'cargo fetch'],
      [
        'cargo/Cargo.toml',
        'cargo build --manifest-path ./Cargo.toml',
        'cargo test --manifest-path ./Cargo.toml',
        'cargo fetch --manifest-path ./Cargo.toml',
      ],
      ['go', 'go build ./...', 'go test ./...', 'go mod download'],
      ['dotnet', 'dotnet build', 'dotnet test', 'dotnet restore'],
      ['dotnet/app.csproj', 'dotnet build ./app.csproj', 'dotnet test ./app.csproj', 'dotnet restore ./app.csproj'],
      [
        'odd/--evil.csproj',
        'dotnet build ./--evil.csproj',
        'dotnet test ./--evil.csproj',
        'dotnet restore ./--evil.csproj',
      ],
      ['sln', 'dotnet build', 'dotnet test', 'dotnet restore'],
      ['maven', 'mvn --batch-mode compile', 'mvn --batch-mode test', 'mvn --batch-mode dependency:resolve'],
      ['uv', 'uv build', 'uv run pytest', 'uv sync'],
      ['python', 'python3 -m compileall -q .', 'python3 -m pytest', 'python3 -m pip install -e .'],
      ['pip', 'python3 -m compileall -q .', 'python3 -m pytest', 'python3 -m pip install -r requirements.txt'],
      ['make', 'made all', 'made test', "A make project has no step 'restore'"],
    ] as const) {
      expect([
        where,
        await said('ci_build', where),
        await said('ci_run_tests', where),
        await said('ci_restore', where),
      ]).toEqual([where, build, tests, restore])
    }
    expect(await said('ci_build', 'empty')).toMatch(/No project was recognised in .*Known: package\.json/)
    expect(await said('ci_build', 'empty/readme.txt')).toMatch(/'readme\.txt' is no project file/)
    expect(await said('ci_build', 'nowhere')).toContain('No such file or directory')
    expect((await refusal(ci.call('ci_build', { projectPath: '../x' }))).code).toBe(-32602)
  } finally {
    process.env.PATH = path
  }
})

test('the choice of the toolchain is named, and can be made', async () => {
  const bin = folder()
  const only = ['npm', 'make', 'python3', 'cmake', 'gradle']
  for (const name of only) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const project = folder({
    'yarn.lock': '',
    'package.json': '{"scripts":{"test":"vitest run"}}',
    Makefile: '',
    'c/CMakeLists.txt': '',
    'j/build.gradle.kts': '',
    'p/uv.lock': '',
    'r/Cargo.toml': '',
    'src/a.test.ts': '',
  })
  const ci = open({ roots: [project] })
  const call = async (name: string, args: Record<string, unknown>): Promise<string> =>
    String(await ci.call(name, args).catch((error: Error) => error.message))
  const path = process.env.PATH
  process.env.PATH = `${bin}:/bin:/usr/bin`
  try {
    expect(await call('ci_build', {})).toMatch(
      /^Toolchain npm \(not installed: yarn \(program 'yarn'\); also possible: make\)\. 'npm run build' succeeded in [\d.]+ s\.\n\[stdout\]\nnpm run build$/,
    )
    expect(await call('ci_build', { toolchain: 'make', args: ['-n', 'all'] })).toMatch(/\nmake -n all$/)
    expect(await call('ci_run_tests', { file: 'src/a.test.ts', test: 'adds' })).toMatch(
      /\nnpm run test -- -t adds \.\/src\/a\.test\.ts$/,
    )
    expect(await call('ci_run_tests', { args: ['--bail'] })).toMatch(/\nnpm run test -- --bail$/)
    expect(await call('ci_run_tests', { toolchain: 'make', test: 'x' })).toMatch(/not known for this make project/)
    expect(await call('ci_run_tests', { test: '--eval=1' })).toMatch(/'test' must be a name/)
    expect(await call('ci_run_tests', { file: '../../x' })).toMatch(/'file' leads outside/)
    expect(await call('ci_build', { projectPath: 'c' })).toMatch(/\ncmake --build build$/)
    expect(await call('ci_run_tests', { projectPath: 'j' })).toMatch(/\ngradle --console=plain test$/)
    expect(await call('ci_run_tests', { projectPath: 'p', test: 'x' })).toMatch(
      /not installed: uv[^]*\npython3 -m pytest -k x$/,
    )
    process.env.PATH = bin
    expect(await call('ci_build', { projectPath: 'r' })).toMatch(
      /^None of these build tools is installed: cargo \(program 'cargo'\)\. Install one of these, or pass toolchain: pnpm, /,
    )
  } finally {
    process.env.PATH = path
  }
})

/** The error of a call whose time runs out once its program has made a file, however long that took. */
async function lateAfter(file: string, ms: number, call: () => Promise<unknown>): Promise<RpcError> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const late = refusal(call())
    while (!existsSync(file)) await new Promise(setImmediate)
    vi.advanceTimersByTime(ms)
    vi.useRealTimers()
    return await late
  } finally {
    vi.useRealTimers()
  }
}

test('a build has minutes where the server allows, and says how far it came when they are over', async () => {
  const project = folder({
    Makefile: 'all:\n\t@echo step one; sleep 0.3; echo step two\ntest:\n\t@echo begun; touch begun; sleep 1000\n',
  })
  const begun = join(project, 'begun')
  const generous = createServer({ name: 'x', version: '1', dialect: SEED })
  generous.use(timeout(200, { most: 60_000 }))
  generous.mount(workstation({ worker, roots: [project], allowCommand: ['*'] }))
  const ci = connect(generous)
  expect(await ci.call('ci_build', {})).toContain('step two')
  expect(await ci.call('run_command', { command: 'sleep 0.3', timeout: 60 })).toBe('')
  expect((await refusal(ci.call('run_command', { command: 'sleep 1000' }))).code).toBe(-32000)
  const late = await lateAfter(begun, 1000, () => ci.call('ci_run_tests', { timeout: 1 }))
  expect(late).toMatchObject({ code: -32000, message: 'Tool execution timeout', data: { timeoutMs: 1000 } })
  expect(late.data).toMatchObject({ output: expect.stringContaining('begun') })
  rmSync(begun)
  const strict = open({ roots: [project] }, { timeoutMs: 5000, dialect: {} })
  const { message } = await lateAfter(begun, 4500, () => strict.call('ci_run_tests', {}))
  expect(message).toMatch(/was stopped after 4\.5 s, before its end\. The server allows no more;[^]*begun/)
})

test('what fails in a large output is shown first', async () => {
  const project = folder({
    'package.json': JSON.stringify({ name: 'p', version: '1.0.0', scripts: { test: 'node run.js' } }),
    'run.js':
      "for (let i = 0; i < 60000; i++) console.log('\\u001B[32mok\\u001B[39m ' + i)\n" +
      "console.log('src/a.ts(3,5): error TS2322: wrong type')\nprocess.exitCode = 1\n" +
      "for (let i = 0; i < 60000; i++) console.log('ok ' + i)",
  })
  const ci = open({ roots: [project] })
  const { message } = await refusal(ci.call('ci_run_tests', {}))
  expect(message).toMatch(/failed with exit code 1\.\nFailures \(1\):\n- src\/a\.ts:3:5 TS2322: wrong type\n/)
  expect(message).toMatch(/ok 59999$/)
  expect(message).not.toContain('\u001B')
  expect(message.length).toBeLessThan(12_000)
})

test('a program is never taken from a root by its name alone', async () => {
  const own = folder({ 'bin/git': '#!/bin/sh\necho planted\n', 'bin/only-here': '#!/bin/sh\necho from the root\n' })
  const away = folder()
  for (const name of ['git', 'only-here']) chmodSync(join(own, 'bin', name), 0o755)
  symlinkSync(join(own, 'bin'), join(away, 'linked-folder'))
  symlinkSync(join(own, 'bin/only-here'), join(away, 'only-here'))
  const path = process.env.PATH
  const some = open({ roots: [own], allowCommand: ['git --version', 'sh *', 'only-here', './bin/only-here'] })
  const call = (line: string): Promise<unknown> => some.call('run_command', { command: line })
  process.env.PATH = [join(own, 'bin'), join(away, 'linked-folder'), away, 'bin', '.', path].join(':')
  try {
    expect(await call('git --version')).toMatch(/^git version/)
    // Nor by a program that looks for others itself.
    expect(await call('sh -c "git --version"')).toMatch(/^git version/)
    await expect(call('only-here')).rejects.toThrow(/found only inside the allowed roots.*Call it by its path/s)
    expect(await call('./bin/only-here')).toBe('from the root\n')
    const all = open({ roots: [own], allowCommand: ['*'] })
    await expect(all.call('run_command', { command: 'only-here' })).rejects.toThrow('found only inside')
  } finally {
    process.env.PATH = path
  }
})

test('where the whole machine is the root, its programs are found', async () => {
  const whole = open({ roots: ['/'], allowCommand: ['*'] })
  expect(await whole.call('run_command', { command: 'echo here' })).toBe('here\n')
})
