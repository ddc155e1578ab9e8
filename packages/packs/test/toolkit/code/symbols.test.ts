import { describe, expect, test } from 'vitest'
import { call } from '../world.ts'
import { work } from './place.ts'

const FILES = {
  'shape.ts': `import { log } from './log'

/** A shape. */
// Two comments.
@sealed
export class Shape {
  size = 1

  /** How large it is. */
  area(): number {
    return this.size
  }
}

export const twice = (x: number): number => x * 2
`,
  'b.py': 'LIMIT = 1\n\n# Finds.\n@cached\ndef find(x):\n    return x\n\n\ndef other(): pass\n',
  'c.rs': '/// Makes one.\n#[inline]\npub fn make() -> u8 {\n    1\n}\n',
}

describe('read_symbol', () => {
  test.each([
    [
      'Shape.area',
      'shape.ts:9-12 method Shape.area',
      '  /** How large it is. */\n  area(): number {\n    return this.size\n  }',
    ],
    ['twice', 'shape.ts:15-15 function twice', 'export const twice = (x: number): number => x * 2'],
    ['find', 'b.py:3-6 function find', '# Finds.\n@cached\ndef find(x):\n    return x'],
    ['make', 'c.rs:1-5 function make', '/// Makes one.\n#[inline]\npub fn make() -> u8 {\n    1\n}'],
  ])('%s comes whole, and can be given back unchanged', async (name, head, text) => {
    const { say, to, read } = work(FILES)
    expect(await say('read_symbol', { name })).toBe(`${head}\n${text}`)
    const before = Object.keys(FILES).map(read)
    await call(to, 'replace_symbol', { name, text })
    expect(Object.keys(FILES).map(read)).toEqual(before)
  })

  test('of a class, with all above it, or only what is in it', async () => {
    const { say } = work(FILES)
    expect(await say('read_symbol', { name: 'Shape' })).toMatch(
      /^shape\.ts:3-13 class Shape\n\/\*\* A shape\. \*\/\n\/\/ Two[^]*\n\}$/,
    )
    expect(await say('read_symbol', { name: 'Shape', signatures: true })).toBe(
      'shape.ts:3-13 class Shape\nexport class Shape {\n  7-7 field size\n  10-12 method area(): number',
    )
  })

  test('says what is near if there is nothing', async () => {
    const { say } = work({ ...FILES, 'd.kt': 'fun area() {}' })
    expect(await say('read_symbol', { name: 'Area' })).toBe(
      "Nothing called 'Area' is defined in the 3 files read below '.'. Near: Shape.area (shape.ts:10). Not read, since no parser here knows the language: 1 Kotlin file.",
    )
  })
})

describe('replace_symbol and insert_symbol', () => {
  test('a text without a comment leaves the old comment', async () => {
    const { say, read } = work(FILES)
    expect(await say('replace_symbol', { name: 'find', text: 'def find(x, y):\n    return y' })).toContain(
      '+def find(x, y):',
    )
    expect(read('b.py')).toContain('# Finds.\ndef find(x, y):\n    return y\n\n\ndef other')
    await say('replace_symbol', { name: 'find', text: '# New.\ndef find(): pass\n' })
    expect(read('b.py')).toContain('LIMIT = 1\n\n# New.\ndef find(): pass\n\n\ndef other')
  })

  test('code gets the indentation of its place, and can be undone', async () => {
    const { say, read } = work(FILES)
    await say('insert_symbol', { name: 'Shape.area', text: 'grow() {\n  this.size++\n}' })
    expect(read('shape.ts')).toContain('    return this.size\n  }\n\n  grow() {\n    this.size++\n  }\n}\n')
    await say('insert_symbol', { name: 'find', position: 'before', text: 'def first(): pass' })
    expect(read('b.py')).toBe(`LIMIT = 1\n\ndef first(): pass\n\n\n${FILES['b.py'].slice(11)}`)
    await say('undo_edit', {})
    await say('undo_edit', {})
    expect([read('shape.ts'), read('b.py')]).toEqual([FILES['shape.ts'], FILES['b.py']])
  })

  test('says so if the parser cannot read the file any more; writes nothing in a dry run', async () => {
    const { say, read } = work(FILES)
    expect(await say('replace_symbol', { name: 'make', text: 'fn make( {', dry_run: true })).toMatch(
      /^Not written[^]*The parser cannot read the file any more, from line \d+ on/,
    )
    expect(read('c.rs')).toBe(FILES['c.rs'])
  })

  test("refuses what is not one thing, and the operator's files", async () => {
    const { say, read } = work(
      { 'a.js': 'class A { go() {} }\nclass B { go() {} }\n', 'keep.js': 'function own() {}\n' },
      ['keep.js'],
    )
    expect(await say('replace_symbol', { name: 'go', text: 'x' })).toBe(
      "'go' is defined 2 times: a.js:1 (method A.go), a.js:2 (method B.go). Say which one by 'path', 'line', or a name such as 'A.go'.",
    )
    expect(await say('replace_symbol', { name: 'own', text: 'function own() { steal() }' })).toMatch(
      /configures this server/,
    )
    expect(read('keep.js')).toBe('function own() {}\n')
    await say('replace_symbol', { name: 'go', line: 2, text: 'go() { return 2 }' })
    expect(read('a.js')).toBe('class A { go() {} }\nclass B { go() { return 2 } }\n')
    expect(await say('insert_symbol', { name: 'A.go', text: 'x() {}' })).toContain('shares its line')
  })
})
