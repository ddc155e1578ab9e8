import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import { scripts } from '../../src/scripts/index.ts'
import type { ScriptProblem } from '../../src/scripts/index.ts'

type Files = Readonly<Record<string, string>>

function folderWith(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'scripts-'))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

async function served(files: Files): Promise<{ client: Client; problems: readonly ScriptProblem[]; folder: string }> {
  const folder = folderWith(files)
  const { tools, problems } = await scripts({ folders: [folder], roots: ['/work'] })
  return { client: connect(createServer({ name: 's', version: '1', log: false }).add(...tools)), problems, folder }
}

const GREET = `#!/bin/sh
# @tool greet
# @description Greets someone.
# @description In a language.
# @readOnly
# @arg name {string} Who is greeted
# @arg [language=en] {en|de} In which language
# @arg [times] {integer} How often

echo "$ARG_LANGUAGE:$ARG_NAME:\${ARG_TIMES-none}:$CAUSEWAY_ROOT"
`

test('the comment at the head of a script declares a tool', async () => {
  const { client, problems } = await served({
    'greet.sh': GREET,
    'notes.txt': 'not a tool',
    'plain.sh': '#!/bin/sh\n# x',
  })
  expect(problems).toEqual([])
  const { tools } = await client.request('tools/list')
  expect(tools).toMatchObject([
    {
      name: 'greet',
      description: 'Greets someone. In a language.',
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Who is greeted' },
          language: { type: 'string', enum: ['en', 'de'], default: 'en' },
          times: { type: 'integer' },
        },
        required: ['name'],
        additionalProperties: false,
      },
    },
  ])
  expect(await client.call('greet', { name: 'Ada' })).toBe('en:Ada:none:/work\n')
  expect(await client.call('greet', { name: 'Ada', language: 'de', times: 2 })).toBe('de:Ada:2:/work\n')
  await expect(client.call('greet', { name: 'Ada', language: 'fr' })).rejects.toThrow('Supported values: en, de.')
})

test.each(['$(touch pwned)', '`touch pwned`', "'; touch pwned; '", '"; touch pwned; "', '-rf', '\n touch pwned'])(
  'an argument is never part of a command line: %j',
  async name => {
    const { client } = await served({ 'greet.sh': GREET })
    expect(await client.call('greet', { name })).toBe(`en:${name}:none:/work\n`)
  },
)

test('what cannot be passed on is refused', async () => {
  const { client } = await served({ 'greet.sh': GREET })
  await expect(client.call('greet', { name: 'a\0b' })).rejects.toThrow("Parameter 'name' must not contain NUL.")
  await expect(client.call('greet', { name: 'x'.repeat(200_000) })).rejects.toThrow('longer than 100000 bytes')
})

test('arguments do not change the variables of the process', async () => {
  const { client } = await served({
    'path.sh':
      '#!/bin/sh\n# @tool path\n# @arg path {string} A path\n# @arg ld_preload {string} x\necho "$ARG_PATH" "$LD_PRELOAD"\nls / >/dev/null',
  })
  expect(await client.call('path', { path: '/nowhere', ld_preload: '/x.so' })).toBe('/nowhere \n')
})

test('output may be JSON; a script that fails says so with its output', async () => {
  const { client } = await served({
    'data.sh': '#!/bin/sh\n# @tool data\n# @output json\necho \'{"a":1}\'',
    'wrong.sh': '#!/bin/sh\n# @tool wrong\n# @output json\necho hello',
    'fail.sh': '#!/bin/sh\n# @tool fail\necho out; echo err >&2; exit 3',
  })
  expect(await client.call('data')).toEqual({ a: 1 })
  await expect(client.call('wrong')).rejects.toThrow('declares @output json, and wrote something else')
  await expect(client.call('fail')).rejects.toThrow('The script ended with exit code 3.\nerr\nout')
})

test('scripts of package.json declare tools in the member before them', async () => {
  const { client } = await served({
    'package.json': JSON.stringify({
      name: 'x',
      scripts: {
        '//hello': '@tool hello\n@description Says hello\n@arg who Who',
        hello: 'echo "hello $ARG_WHO"',
        other: 'echo no',
      },
    }),
  })
  expect(await client.call('hello', { who: '$(id)' })).toBe('hello $(id)\n')
})

test('a header that is wrong is named with its line, and what may be written', async () => {
  const head = (line: string): string => `#!/bin/sh\n# @tool a\n# ${line}\n`
  const { problems, folder } = await served({
    'a.sh': head('@argument x'),
    'b.sh': head('@arg x {strng} y'),
    'c.sh': head('@arg 1x'),
    'd.sh': head('@arg [x=z] {integer}'),
    'e.sh': head('@timeout soon'),
    'f.sh': head('@arg x\n# @arg X'),
    'g.sh': '# @tool a',
    'h.sh': '#!/bin/sh\n# @tool a b',
    'package.json': '{"scripts":{"//no":"@tool no"}}',
  })
  expect(problems.map(({ where, why }) => `${where.slice(folder.length + 1)} ${why}`)).toEqual([
    'a.sh:3 there is no @argument. There is @tool, @description, @arg, @output, @timeout, @readOnly, @destructive, @idempotent, @openWorld.',
    "b.sh:3 there is no type {strng}. Did you mean 'string'?",
    'c.sh:3 @arg has no valid name: write: @arg NAME {TYPE} DESCRIPTION, with [NAME] or [NAME=DEFAULT] if it may be left out',
    "d.sh:3 the default 'z' is not of the type integer",
    "e.sh:3 @timeout is a time such as 90s or 5m, got 'soon'",
    'f.sh:4 @arg X is declared twice',
    'g.sh it needs a first line that says what runs it, such as #!/bin/sh',
    "h.sh:2 @tool needs a name of 1 to 64 of A-Z a-z 0-9 _ -, got 'a b'",
    "package.json '//no' declares a tool, and there is no script 'no'",
  ])
})

test('a script that cannot be run, or is called as another one, is named', async () => {
  const folder = folderWith({
    'a.sh': '#!/bin/sh\n# @tool a',
    'b.sh': '#!/bin/sh\n# @tool a',
    'c.sh': '#!/bin/sh\n# @tool c',
  })
  chmodSync(join(folder, 'c.sh'), 0o644)
  mkdirSync(join(folder, 'inner'))
  const { tools, problems } = await scripts({ folders: [folder] })
  expect(tools.map(({ name }) => name)).toEqual(['a'])
  expect(problems.map(({ why }) => why).sort()).toEqual([
    'another script is called a',
    'it is not executable: chmod +x c.sh',
  ])
  await expect(scripts({ folders: [join(folder, 'none')] })).rejects.toThrow('ENOENT')
})

test('a call that is cancelled ends the script and what it started', async () => {
  const { client } = await served({ 'wait.sh': '#!/bin/sh\n# @tool wait\necho started; sleep 600 & wait' })
  const stop = new AbortController()
  const call = client.call('wait', {}, undefined, {
    signal: stop.signal,
    onProgress: () => stop.abort(new Error('enough')),
  })
  await expect(call).rejects.toThrow('enough')
})
