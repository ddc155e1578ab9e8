import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { descendantsOf } from '@causeway/engine/process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { needs } from '../../../../../test/support/needs.ts'
import { repository } from '../world.ts'
import { place } from './place.ts'
import type { Tool } from './place.ts'

const FILES = {
  'box.py': 'def pick():\n    return 1\n\n\nvalue = pick()\n',
  'use.py': 'from box import pick\n\nprint(pick())\nthing.pick()  # another\n# pick it\n',
}
const BY_SERVER = 'Source: language server (pyright 9.9).'

describe('a language server that works', () => {
  test('tells uses from places that only have the name', async () => {
    const { tool } = place(FILES)
    const text = await tool('find_references', { name: 'pick' })
    expect(text).toContain("'pick': 2 calls, 0 uses, 1 imports, 1 comments")
    expect(text).toContain(BY_SERVER)
    expect(text).toContain('Same name, but not a reference to it: use.py:4.')
    expect(await tool('find_symbol', { name: 'pick' })).toContain(BY_SERVER)
    expect(await tool('find_symbol', { name: 'pick', which: 'definitions' })).toContain('Source: parser.')
    expect(await tool('call_hierarchy', { name: 'pick' })).toMatch(/box\.py:5\n.*use\.py:3\nSource: language server/)
  })

  test('sees files as they are now, also new ones and those that are gone', async () => {
    const { root, tool } = place(FILES)
    await tool('find_references', { name: 'pick' })
    writeFileSync(join(root, 'more.py'), 'from box import pick\npick()\npick()\n')
    rmSync(join(root, 'use.py'))
    const text = await tool('find_references', { name: 'pick' })
    expect(text).toContain("'pick': 3 calls, 0 uses, 1 imports")
    expect(text).toContain(BY_SERVER)
  })

  test('renames through our own edits: a dry run, one undo', async () => {
    const { root, tool } = place(FILES)
    const before = readFileSync(join(root, 'use.py'), 'utf8')
    const args = { name: 'pick', new_name: 'choose' }
    expect(await tool('rename_symbol', { ...args, dry_run: true })).toMatch(
      /^Would rename pick to choose: 4 places in 2/,
    )
    expect(readFileSync(join(root, 'use.py'), 'utf8')).toBe(before)
    const text = await tool('rename_symbol', { ...args, also: ['comments'] })
    expect(text).toContain(BY_SERVER)
    const after = 'from box import choose\n\nprint(choose())\nthing.pick()  # another\n# choose it\n'
    expect(readFileSync(join(root, 'use.py'), 'utf8')).toBe(after)
    expect(readFileSync(join(root, 'box.py'), 'utf8')).toContain('def choose():')
    await tool('undo_edit', {})
    expect(readFileSync(join(root, 'use.py'), 'utf8')).toBe(before)
    expect(readFileSync(join(root, 'box.py'), 'utf8')).toBe(FILES['box.py'])
  })

  test('says the type of what is read', async () => {
    const { tool } = place({ ...FILES, 'a.rb': 'def pull\nend\n' })
    expect(await tool('read_symbol', { name: 'pick', type: true })).toBe(
      `box.py:1-2 function pick\nType: pick: int\n${BY_SERVER}\ndef pick():\n    return 1`,
    )
    expect(await tool('read_symbol', { name: 'pull', type: true })).toMatch(
      /Type: not known\nSource: no language server/,
    )
    expect(await tool('read_symbol', { name: 'pick' })).not.toContain('Type')
  })

  test('is not asked to a name that is taken', async () => {
    const { tool } = place({ 'a.py': 'def pick():\n    return other()\n\ndef other():\n    return 2\n' })
    await expect(tool('rename_symbol', { name: 'pick', new_name: 'other' })).rejects.toThrow(/the new name is there/)
  })

  test('diagnoses a file, a directory, and what changed since the last commit', async () => {
    const { root, tool } = place({ 'a.py': 'wrong\nodd\n', 'b.py': 'wrong\n', 'c.rb': 'wrong\n' })
    expect(await tool('diagnose', { path: 'a.py' })).toBe(
      `1 errors, 1 warnings in 1 files checked.\na.py:1:1: error 7: wrong here\na.py:2:1: warning 7: odd here\n${BY_SERVER}`,
    )
    expect(await tool('diagnose', { path: 'a.py', severity: 'error' })).not.toContain('odd here')
    expect(await tool('diagnose', { files: 'all' })).toContain('2 errors, 1 warnings in 2 files checked.')
    await expect(tool('diagnose', {})).rejects.toThrow(/What changed since the last commit is not known/)
    const { git } = repository(root)
    git('add', '.')
    git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'one')
    expect(await tool('diagnose', {})).toBe("No source files below '.' changed since the last commit.")
    writeFileSync(join(root, 'b.py'), 'odd\n')
    writeFileSync(join(root, 'new.py'), 'wrong\n')
    const text = await tool('diagnose', {})
    expect(text).toContain('1 errors, 1 warnings in 2 files checked.\nnew.py:1:1: error')
  })

  test('cannot be asked what is wrong: it is waited for until it says so', async () => {
    const { tool } = place({ 'a.py': 'wrong\n' }, { mood: 'pushes' })
    expect(await tool('diagnose', { path: 'a.py' })).toContain('a.py:1:1: error 7: wrong here')
  })

  test('is ended when nobody asks, and leaves nothing behind', async () => {
    for (const mood of ['good', 'stays']) {
      const { tool } = place(FILES, { mood })
      expect(await tool('find_references', { name: 'pick' })).toContain(BY_SERVER)
    }
    await expect.poll(() => descendantsOf(process.pid), { timeout: 30_000 }).toEqual([])
  })
})

describe('a language server that does not', () => {
  const broken: Readonly<Record<string, RegExp>> = {
    silent: /pyright was ended: it did not answer initialize within 0\.3 s\./,
    mute: /was ended: it did not answer textDocument\/references within 0\.4 s\./,
    giant: /has ended: it sent a message of 9999999999 bytes\./,
    malformed: /has ended: it sent a header without Content-Length\./,
    array: /has ended: it sent a message that is no JSON object\./,
    chatty: /has ended: it sent more than 50000 messages\./,
    exits: /has ended: it ended by itself \(exit code 3\)\./,
    nonsense: /does not know the definition\./,
  }
  test.each(Object.entries(broken))('%s: the parser answers, and says why', async (mood, why) => {
    const servers = { ...(mood === 'silent' && { startMs: 300 }), ...(mood === 'mute' && { askMs: 400 }) }
    const { tool } = place(FILES, { mood, servers })
    const text = await tool('find_references', { name: 'pick' })
    expect(text).toContain("'pick': 3 calls, 0 uses, 1 imports, 1 comments")
    expect(text).toContain('Source: parser.')
    expect(text).toMatch(why)
    // One that failed is not tried again at once.
    expect(await tool('find_references', { name: 'pick' })).toMatch(why)
    await expect.poll(() => descendantsOf(process.pid), { timeout: 30_000 }).toEqual([])
  })

  test('takes too much memory: it is ended', async () => {
    const { tool } = place(FILES, { mood: 'mute', servers: { memoryBytes: 1 } })
    expect(await tool('find_references', { name: 'pick' })).toMatch(
      /Source: parser\. .*has ended: it took more than 1 bytes of memory\./,
    )
  })

  test('names places outside of the roots: they are counted', async () => {
    const { tool } = place(FILES, { mood: 'elsewhere' })
    const text = await tool('find_references', { name: 'pick' })
    expect(text).toContain(`${BY_SERVER} 1 uses lie outside of the roots.`)
    expect(text).not.toContain('hostname')
  })

  const refused: Readonly<Record<string, RegExp>> = {
    overlaps: /which is no rename|two edits of .* overlap/,
    scribbles: /changes 'pick' to 'choose; evil\(\)', which is no rename/,
    beyond: /an edit lies beyond line 901/,
    elsewhere: /proposed to change a file outside of the roots/,
    refuses: /refuses: not this one/,
  }
  test.each(Object.entries(refused))('%s: nothing is written', async (mood, why) => {
    const { root, tool } = place(FILES, { mood })
    await expect(tool('rename_symbol', { name: 'pick', new_name: 'choose' })).rejects.toThrow(why)
    expect(readFileSync(join(root, 'box.py'), 'utf8')).toBe(FILES['box.py'])
    expect(readFileSync(join(root, 'use.py'), 'utf8')).toBe(FILES['use.py'])
  })

  test('wants to create files: the parser decides', async () => {
    const { root, tool } = place(FILES, { mood: 'creates' })
    const text = await tool('rename_symbol', { name: 'pick', new_name: 'choose', dry_run: true }).catch(String)
    expect(text).toContain('Source: parser. it proposed to create, rename or delete files.')
    expect(existsSync(join(root, 'box.py.new'))).toBe(false)
  })
})

describe('what a server may', () => {
  test('one that lies in the root is not started without the operator', async () => {
    const { tool } = place(FILES, { inside: true })
    expect(await tool('find_references', { name: 'pick' })).toMatch(
      /Source: parser\. .*lies inside the roots\. The operator allows that with --allow-language-server pyright\./,
    )
    const own = { 'node_modules/.bin/keep': '', ...FILES }
    const allowed = place(own, { inside: true, servers: { allow: ['pyright'] } })
    expect(await allowed.tool('find_references', { name: 'pick' })).toContain(BY_SERVER)
  })

  test('one that runs what a project names is not started without the operator', async () => {
    const { tool } = place({ 'a.rs': 'fn pick() {}\nfn main() { pick(); }\n' })
    expect(await tool('find_references', { name: 'pick' })).toMatch(
      /Source: parser\. no program rust-analyzer was found/,
    )
  })

  test('edits are refused, and no secret is passed on', async () => {
    const { tool } = place({ 'a.py': 'x\n' }, { mood: 'tells' })
    const { edit, config, variables } = await powersOf(tool)
    expect(edit).toMatchObject({ applied: false })
    expect(config).toEqual([expect.objectContaining({ pythonPath: expect.stringMatching(/python|nonexistent/) })])
    expect(variables).toEqual(expect.arrayContaining(['GIT_DIR', 'npm_config_offline']))
    expect(variables.filter(name => /token|secret|key|vitest/i.test(name))).toEqual([])
  })

  test('in the sandbox it writes nothing and reaches nothing', needs('bwrap'), async () => {
    const listening = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void listening.close())
    await expect.poll(() => listening.address()).not.toBeNull()
    const { port } = listening.address() as AddressInfo
    const { root, tool } = place({ 'a.py': `# port ${port}\n` }, { mood: 'tells', sandbox: true })
    expect(await powersOf(tool)).toMatchObject({ wrote: 'EROFS', beside: 'EROFS', network: 'ECONNREFUSED' })
    expect(existsSync(join(root, 'a.py.new'))).toBe(false)
  })
})

describe('the language server of TypeScript 7', () => {
  const PATH = fileURLToPath(new URL('../../../../../node_modules/.bin', import.meta.url))

  test('tells methods of two types apart, renames one, and finds what does not fit', async () => {
    const { root, tool } = place(
      {
        'tsconfig.json': '{ "compilerOptions": { "strict": true } }',
        'box.ts':
          'export class Box { open(): number { return 1 } }\nexport class Door { open(): string { return "" } }\n',
        'use.ts':
          "import { Box, Door } from './box'\nconst it = new Box()\nit.open()\nnew Door().open()\nconst no: string = it.open()\n",
      },
      // Where there is no sandbox it needs the operator's word.
      { servers: { path: PATH, allow: ['typescript'] } },
    )
    const found = await tool('find_references', { name: 'Box.open' })
    expect(found).toMatch(/2 calls.*\n.*use\.ts:3: call.*\n.*use\.ts:5: call/)
    expect(found).toMatch(
      /Source: language server \(TypeScript 7\..*\)\.\nSame name, but not a reference to it: use\.ts:4\./,
    )
    expect(await tool('diagnose', { path: 'use.ts' })).toMatch(/^1 errors.*\nuse\.ts:5:7: error 2322: Type 'number'/)
    await tool('rename_symbol', { name: 'Box.open', new_name: 'unlock' })
    expect(readFileSync(join(root, 'use.ts'), 'utf8').match(/unlock|open/g)).toEqual(['unlock', 'open', 'unlock'])
  })
})

interface Powers {
  readonly edit: unknown
  readonly config: unknown
  readonly variables: readonly string[]
}

async function powersOf(tool: Tool): Promise<Powers> {
  const [, said = ''] = (await tool('diagnose', { path: 'a.py' })).split('error: ')
  return JSON.parse(said.split('\nSource:')[0] ?? '') as Powers
}
