import { describe, expect, test } from 'vitest'
import type { Caller } from '../../src/call.ts'
import { MemoryShelf } from '../../src/catalog/shelf.ts'
import type { Entry, Shelf } from '../../src/catalog/shelf.ts'

/** A way to make a shelf that holds these. */
interface Maker {
  readonly name: string
  make(entries: readonly Entry[]): Shelf<Entry>
}

const memory: Maker = {
  name: 'memory',
  make(entries) {
    const shelf = new MemoryShelf<Entry>()
    for (const entry of entries) shelf.put(entry)
    return shelf
  },
}

const entry = (key: string, aliases?: readonly string[]): Entry => ({
  key,
  info: { name: key },
  run: () => ({}),
  ...(aliases && { aliases }),
})
const CALLER = {} as Caller

/** What holds of every shelf. */
describe.each([memory])('a shelf: $name', ({ make }) => {
  test('lists in a stable order, and the same twice', async () => {
    const shelf = make([entry('b'), entry('a'), entry('c')])
    const list = await shelf.list(CALLER)
    expect(list.map(({ key }) => key)).toEqual(['b', 'a', 'c'])
    expect(await shelf.list(CALLER)).toEqual(list)
  })

  test('finds what it lists, and nothing else', async () => {
    const shelf = make([entry('a'), entry('__proto__')])
    for (const listed of await shelf.list(CALLER)) expect(await shelf.find(listed.key, CALLER)).toBe(listed)
    for (const key of ['', 'A', 'constructor', 'toString', 'zzz']) expect(await shelf.find(key, CALLER)).toBeUndefined()
  })

  test('finds by alias what it lists once', async () => {
    const shelf = make([entry('read_file', ['filesystem/read', 'cat'])])
    expect(await shelf.list(CALLER)).toHaveLength(1)
    expect((await shelf.find('cat', CALLER))?.key).toBe('read_file')
  })

  test('may be empty', async () => {
    const shelf = make([])
    expect(await shelf.list(CALLER)).toEqual([])
    expect(await shelf.find('a', CALLER)).toBeUndefined()
  })
})

describe('the shelf in memory', () => {
  test('gives the same array until something changes', () => {
    const shelf = new MemoryShelf<Entry>()
    shelf.put(entry('a'))
    const list = shelf.list()
    expect(shelf.list()).toBe(list)
    shelf.put(entry('b'))
    expect(shelf.list()).not.toBe(list)
    expect(list).toHaveLength(1)
  })

  test('refuses a name twice, whichever way it is taken, and is left as it was', () => {
    const shelf = new MemoryShelf<Entry>()
    shelf.put(entry('a', ['b']))
    for (const twice of [entry('a'), entry('b'), entry('c', ['a']), entry('c', ['b'])]) {
      expect(() => shelf.put(twice)).toThrow(/^Duplicate name '[ab]': remove the first one, or mount with a prefix$/)
    }
    expect(shelf.size).toBe(1)
    expect(shelf.has('c')).toBe(false)
  })

  test('takes away with the name its aliases', () => {
    const shelf = new MemoryShelf<Entry>()
    shelf.put(entry('a', ['b']))
    expect(shelf.take('b')).toBe(false)
    expect(shelf.take('a')).toBe(true)
    expect(shelf.take('a')).toBe(false)
    expect(shelf.has('b')).toBe(false)
    shelf.put(entry('b'))
    expect(shelf.find('b')?.key).toBe('b')
  })
})
