import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ROOT } from '../../../../test/support/spawned.ts'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { runHere } from '../support/here.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-usage-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  for (const name of Object.keys(process.env).filter(name => name.startsWith('CAUSEWAY_'))) vi.stubEnv(name, undefined)
})
afterEach(() => void vi.unstubAllEnvs())

let files = 0
function file(content: unknown): string {
  const path = join(folder, `${++files}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8')) as { version: string }

describe('what cannot be used is refused with the nearest that can', () => {
  test.each([
    ['srve', "Unknown command 'srve'. Did you mean 'serve'?"],
    ['frobnicate', "Unknown command 'frobnicate'. Commands: serve, "],
    ['--presett basics', "Unknown flag '--presett'. Did you mean '--preset'?"],
    ['serve --stdoi', "Unknown flag '--stdoi'. Did you mean '--stdio'?"],
    ['serve -x', "Unknown flag '-x'. See: causeway help serve"],
    ['list --timeout 3s', "Unknown flag '--timeout'."],
    ['serve --no-stdio', "Unknown flag '--no-stdio'. Did you mean '--stdio'?"],
    ['--preset', '--preset needs a value: --preset NAME'],
    ['--preset=', '--preset needs a value'],
    ['--stdio=perhaps', "--stdio must be on or off (also 1, true, yes; 0, false, no), got 'perhaps'."],
    ['--stdio --http', '--stdio and --http exclude each other'],
    ['serve basics', "Unexpected argument 'basics'. Usage: causeway [serve]"],
    ['--preset basic', "Unknown preset 'basic'. Did you mean 'basics'?"],
    ['--pack basiks', "Unknown pack 'basiks'. Did you mean 'basics'?"],
    ['--pack basics,nope', "Unknown pack 'nope'. Choices: "],
    ['--pack __proto__', "Unknown pack '__proto__'."],
    ['--preset constructor', "Unknown preset 'constructor'."],
    ['--transport studio', "Unknown transport 'studio'. Did you mean 'stdio'?"],
    ['--lifecycle lenien', "Unknown lifecycle 'lenien'. Did you mean 'lenient'?"],
    ['--log-level wran', "Unknown log-level 'wran'. Did you mean 'warn'?"],
    ['--timeout soon', "--timeout must be a time such as 500ms, 30s or 2m, or off, got 'soon'."],
    ['--timeout 0s', '--timeout must be a time'],
    ['--timeout 99999999m', '--timeout must be a time'],
    ['--rate-limit 5', '--rate-limit must be BURST/RATE such as 1000/100, or off'],
    ['--rate-limit 0/1', '--rate-limit must be BURST/RATE'],
    ['--max-request 10pb', '--max-request must be a size such as'],
    ['--max-response 0', '--max-response must be a size'],
    ['--max-inflight 1.5', '--max-inflight must be a whole number'],
    ['--pack basics --tools add_number', "Unknown tool 'add_number'. Did you mean 'add_numbers'?"],
    ['--pack basics --exclude-tools nope', "Unknown tool 'nope'. Tools: add_numbers, "],
    ['--pass-env A,TOKEN=x', "--pass-env must be the name of a variable, without its value, got 'TOKEN=x'."],
    ['--public-url ftp://x', '--public-url must be a URL such as https://mcp.example.org'],
    ['--public-url mcp.example.org', '--public-url must be a URL'],
    ['--allow-host https://x', '--allow-host must be a host name such as mcp.example.org, without scheme and port'],
    ['call', 'Name the tool to call. Usage: causeway call TOOL'],
    ['call add_number --pack basics', "Unknown tool 'add_number'. Did you mean 'add_numbers'?"],
    ['call add_numbers 5 3', "Arguments are written key=value, got '5'."],
    ['call add_numbers =5', "Arguments are written key=value, got '=5'."],
    ['call add_numbers --args {', "--args must be a JSON object, got '{'."],
    ['call add_numbers --args [1]', '--args must be a JSON object'],
  ])('causeway %s', async (line, said) => {
    const { code, stdout, stderr } = await runHere(line)
    expect(stderr).toContain(`causeway: ${said}`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('a configuration file that is wrong ends with 4', () => {
  test.each([
    ['{', 'JSON'],
    ['[1]', 'must be an object'],
    ['null', 'must be an object'],
    ['{"pressets":"basics"}', "unknown key 'pressets'. Did you mean 'preset'?"],
    ['{"config":"other.json"}', "unknown key 'config'"],
    ['{"__proto__":1}', "unknown key '__proto__'"],
    ['{"timeout":"soon"}', "'timeout' must be a time"],
    ['{"preset":"basic"}', "Unknown preset 'basic'. Did you mean 'basics'?"],
    ['{"pack":["basics","nope"]}', "Unknown pack 'nope'."],
    ['{"max-inflight":0}', "'max-inflight' must be a whole number"],
    ['{"read-only":"ture"}', "'read-only' must be on or off (also 1, true, yes; 0, false, no), got 'ture'."],
    ['{"read-only":2}', "'read-only' must be on or off"],
    ['{"read-only":null}', "'read-only' must be text, a number, true or false, got null."],
    ['{"read-only":[true]}', "'read-only' must be text, a number, true or false, got [true]."],
    ['{"root":{"a":1}}', `'root' must be text, or an array of texts, got {"a":1}.`],
    ['{"stdio":true,"http":true}', '--stdio and --http exclude each other'],
    ['{\n  "preset": "basics",\n  oops\n}', ':3:3: invalid JSON'],
    ['// nothing\n', 'JSON'],
    ['{"json":"{}"}', "unknown key 'json'"],
    ['{"port":1,\n "port":2}', ":2:2: the key 'port' stands here twice"],
  ])('%s', async (content, said) => {
    const path = file(content)
    const { code, stdout, stderr } = await runHere(['--config', path])
    expect(stderr).toContain(`causeway: Configuration ${path}:`)
    expect(stderr).toContain(said)
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
  })

  test('so does one that is not there, however it was named', async () => {
    vi.stubEnv('CAUSEWAY_CONFIG', join(folder, 'nowhere.json'))
    const { code, stderr } = await runHere('list')
    expect(stderr).toContain(`nowhere.json: ENOENT`)
    expect(code).toBe(4)
  })
})

describe('switches', () => {
  const mode = async (line: string | readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runHere(line)
    if (code !== 0) return `${code} ${stderr.trim()}`
    return /^write_file\b/m.test(stdout) ? 'writes' : 'reads'
  }
  const on = ['1', 'true', 'yes', 'on', 'TRUE', 'Yes', 'ON']
  const off = ['0', 'false', 'no', 'off', 'FALSE', 'No', 'OFF', '']

  test.each([...on.map(word => [word, 'reads']), ...off.map(word => [word, 'writes'])])(
    'CAUSEWAY_READ_ONLY=%s',
    async (word, expected) => {
      vi.stubEnv('CAUSEWAY_READ_ONLY', word)
      expect(await mode('list --pack workstation')).toBe(expected)
    },
  )

  test.each(
    [...on, 1, true].map(word => [word, 'reads']).concat([...off.slice(0, -1), 0, false].map(w => [w, 'writes'])),
  )('in a file: %j', async (word, expected) => {
    const path = file({ pack: 'workstation', 'read-only': word })
    expect(await mode(['list', '--config', path])).toBe(expected)
  })

  test('on the command line, over the environment', async () => {
    vi.stubEnv('CAUSEWAY_READ_ONLY', 'on')
    expect(await mode('list --pack workstation --read-only=false')).toBe('writes')
    vi.stubEnv('CAUSEWAY_READ_ONLY', 'off')
    expect(await mode('list --pack workstation --read-only')).toBe('reads')
  })

  test.each(['ture', '2', 'enabled', ' ', '-1'])('CAUSEWAY_READ_ONLY=%j is refused', async word => {
    vi.stubEnv('CAUSEWAY_READ_ONLY', word)
    expect(await mode('list')).toBe(
      `4 causeway: The environment: --read-only must be on or off (also 1, true, yes; 0, false, no), got '${word}'.`,
    )
  })
})

describe('the environment', () => {
  test.each([
    ['CAUSEWAY_READONLY', "Unknown environment variable 'CAUSEWAY_READONLY'. Did you mean 'CAUSEWAY_READ_ONLY'?"],
    ['CAUSEWAY_TOKENFILE', "Did you mean 'CAUSEWAY_TOKEN_FILE'?"],
    ['CAUSEWAY_FROBNICATE', 'Unset it'],
    ['CAUSEWAY_JSON', "Unknown environment variable 'CAUSEWAY_JSON'."],
  ])('%s is refused', async (name, said) => {
    vi.stubEnv(name, '1')
    const { code, stdout, stderr } = await runHere('list')
    expect(stderr).toContain(said)
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
  })

  test('a wrong value is the fault of the environment', async () => {
    vi.stubEnv('CAUSEWAY_TIMEOUT', 'soon')
    expect(await runHere('list')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('causeway: The environment: --timeout must be a time'),
    })
  })

  test('what the command line says of the transport stands over it', async () => {
    const args = readArgs(['--stdio'])
    expect(readConfig(args, { CAUSEWAY_HTTP: 'yes' }).transport).toBe('stdio')
    expect(readConfig(readArgs([]), { CAUSEWAY_HTTP: 'yes' }).transport).toBe('http')
    expect(readConfig(readArgs(['--transport', 'http']), { CAUSEWAY_STDIO: '1' }).transport).toBe('http')
  })
})

test('a configuration file may have a byte order mark, comments, trailing commas and a $schema', async () => {
  const path = file(`\uFEFF// Which tools
  {
    "$schema": "./config.schema.json", /* for the
    editor */
    "pack": ["basics",],
    "tools": "add_numbers", // not "system_ping"
    "data": "/a//b/*c*/,]", // stays as it is
  }
  `)
  expect((await runHere(['list', '--config', path])).stdout.match(/^\w+/gm)).toEqual(['add_numbers'])
  expect(readConfig(readArgs(['--config', path]), {}).data).toBe('/a//b/*c*/,]')
})

describe('help and version', () => {
  test.each(['--help', '-h', 'serve --help', 'list -h', 'call --help'])('causeway %s', async line => {
    const { code, stdout, stderr } = await runHere(line)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('causeway')
    expect(stdout).toContain('--preset NAME')
    expect(stdout).toContain('--help')
  })

  test('help of one command shows only its flags', async () => {
    expect((await runHere('list --help')).stdout).not.toContain('--timeout')
    expect((await runHere('call --help')).stdout).toContain('--args OBJECT')
  })

  test.each(['--version', 'list --version'])('causeway %s', async line => {
    expect(await runHere(line)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })
})

describe('causeway list', () => {
  const names = async (line: string): Promise<string[]> => {
    const { code, stdout } = await runHere(`list --pack basics ${line}`)
    expect(code).toBe(0)
    return stdout.match(/^\w+/gm) ?? []
  }

  test('shows every tool with its description', async () => {
    const { stdout } = await runHere('list --pack basics')
    expect(stdout).toMatch(/^add_numbers +Adds two numbers and return result\. Example: 5 \+ 3 = 8$/m)
    // Five of the pack, and read_result.
    expect(stdout.trimEnd().split('\n')).toHaveLength(6)
  })

  test('shows only what was chosen, and never what was excluded', async () => {
    expect(await names('--tools add_numbers,system_ping')).toEqual(['add_numbers', 'system_ping'])
    expect(await names('--tools add_numbers --tools system_ping')).toEqual(['add_numbers', 'system_ping'])
    expect(await names('--exclude-tools add_numbers,system_echo')).toHaveLength(4)
    expect(await names('--tools add_numbers,system_ping --exclude-tools system_ping')).toEqual(['add_numbers'])
  })

  test('lists in a file, and numbers', async () => {
    const path = file({ pack: ['basics'], tools: ['add_numbers', 'system_ping'], 'max-inflight': 5 })
    expect((await runHere(['list', '--config', path])).stdout.match(/^\w+/gm)).toEqual(['add_numbers', 'system_ping'])
  })
})

describe('causeway call', () => {
  const call = (line: string, ...more: readonly string[]): ReturnType<typeof runHere> =>
    runHere(['call', ...line.split(' '), ...more])

  test('prints the value', async () => {
    expect(await call('add_numbers number1=5 number2=3')).toEqual({ code: 0, stdout: '{"result":8}\n', stderr: '' })
    expect((await call('multiply_numbers number1=-4 number2=2.5')).stdout).toBe('{"result":-10}\n')
  })

  test('takes key=value as the schema has it: text stays text, the rest is JSON if it reads as such', async () => {
    const { stdout } = await call('system_echo', 'a=1', 'b=true', 'c=[1,"x"]', 'd=null', 'e=two words', 'f=x=y', 'g=')
    expect(JSON.parse(stdout)).toEqual({ a: 1, b: true, c: [1, 'x'], d: null, e: 'two words', f: 'x=y', g: '' })
    expect(JSON.parse((await call('generate_secret format=hex')).stdout)).toMatchObject({
      type: 'hex',
      secret: expect.stringMatching(/^[\da-f]{32}$/),
    })
  })

  test('takes --json, and key=value over it', async () => {
    expect((await call('add_numbers --args {"number1":5,"number2":3}')).stdout).toBe('{"result":8}\n')
    expect((await call('add_numbers number2=10 --args={"number1":5,"number2":3}')).stdout).toBe('{"result":15}\n')
    expect((await call('system_echo', '__proto__=1')).stdout).toBe('{"__proto__":1}\n')
  })

  test('ends with 1 when the tool fails, with the reason on stderr', async () => {
    const { code, stdout, stderr } = await call('add_numbers number1=five')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain("Parameter 'number1' must be a number, got 'five' (a string).")
    expect(stderr).toContain("Missing required parameter 'number2'")
    expect((await call('multiply_numbers number1=1e308 number2=1e308')).code).toBe(1)
    expect((await call('add_numbers number1=1 --preset basics')).code).toBe(1)
  })

  test('lets commands see the variables that were named, and no others', async () => {
    for (const name of ['A_TOKEN', 'B_TOKEN', 'C_TOKEN']) vi.stubEnv(name, 'secret')
    const seen = async (...more: readonly string[]): Promise<string[] | null> =>
      (await call('run_command command=env --allow-command env', '--root', folder, ...more)).stdout.match(/^\w_TOKEN/gm)
    expect(await seen()).toBeNull()
    expect(await seen('--pass-env', 'A_TOKEN,NOT_SET', '--pass-env=C_TOKEN')).toEqual(['A_TOKEN', 'C_TOKEN'])
    vi.stubEnv('CAUSEWAY_PASS_ENV', 'B_TOKEN')
    expect(await seen()).toEqual(['B_TOKEN'])
  })

  test('does not call what was not chosen', async () => {
    expect((await call('add_numbers number1=1 number2=2 --exclude-tools add_numbers')).code).toBe(2)
  })
})
