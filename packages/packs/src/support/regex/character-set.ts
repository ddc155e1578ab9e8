/** Code points as pairs of first and last, in order and apart from each other. */
export type CharacterSet = readonly (readonly [first: number, last: number])[]

/** The highest code point. */
export const LAST = 0x10ffff
const NEWLINE = 10
// No letter beyond has two cases.
const LAST_CASED = 0x1e943

/** Ranges in any order as a set. */
export function setOf(ranges: CharacterSet): CharacterSet {
  const sorted = [...ranges].sort(([a], [b]) => a - b)
  const merged: [number, number][] = []
  for (const [first, last] of sorted) {
    const before = merged.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged
}

/** Everything else. */
export function without(set: CharacterSet): CharacterSet {
  const out: [number, number][] = []
  let next = 0
  for (const [first, last] of set) {
    if (first > next) out.push([next, first - 1])
    next = last + 1
  }
  if (next <= LAST) out.push([next, LAST])
  return out
}

/** The set with both cases of each letter. */
export function inEitherCase(set: CharacterSet): CharacterSet {
  const more: [number, number][] = []
  for (const [first, last] of set) {
    for (let code = first; code <= Math.min(last, LAST_CASED); code++) {
      const letter = String.fromCodePoint(code)
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        const point = other.codePointAt(0) ?? code
        if (point !== code && String.fromCodePoint(point) === other) more.push([point, point])
      }
    }
  }
  return more.length === 0 ? set : setOf([...set, ...more])
}

/** Lines are matched one at a time: nothing in them is a newline. */
export const withoutNewline = (set: CharacterSet): CharacterSet =>
  set.flatMap(([first, last]) => {
    if (first > NEWLINE || last < NEWLINE) return [[first, last] as const]
    return [
      ...(first < NEWLINE ? [[first, NEWLINE - 1] as const] : []),
      ...(last > NEWLINE ? [[NEWLINE + 1, last] as const] : []),
    ]
  })

/** The sets that letters behind a backslash stand for. */
export const CLASSES: Readonly<Record<string, CharacterSet>> = (() => {
  const digit: CharacterSet = [[48, 57]]
  const word = setOf([
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ])
  const space = setOf([
    [9, 13],
    [32, 32],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ])
  return { d: digit, D: without(digit), w: word, W: without(word), s: space, S: without(space) }
})()

/** The sets with names in brackets, such as `[:alpha:]`. */
export const NAMED: Readonly<Record<string, CharacterSet>> = {
  alpha: [
    [65, 90],
    [97, 122],
  ],
  digit: [[48, 57]],
  alnum: [
    [48, 57],
    [65, 90],
    [97, 122],
  ],
  upper: [[65, 90]],
  lower: [[97, 122]],
  space: [
    [9, 13],
    [32, 32],
  ],
  blank: [
    [9, 9],
    [32, 32],
  ],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
  word: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
}

const properties = new Map<string, CharacterSet>()

/** The characters with a Unicode property, such as `L` or `Script=Greek`; undefined if there is no such property. */
export function withProperty(name: string): CharacterSet | undefined {
  const test = propertyTest(name)
  if (!test) return undefined
  const known = properties.get(name)
  if (known) return known
  const ranges: [number, number][] = []
  for (let code = 0; code <= LAST; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    if (!test.test(String.fromCodePoint(code))) continue
    const last = ranges.at(-1)
    if (last && last[1] === code - 1) last[1] = code
    else ranges.push([code, code])
  }
  properties.set(name, ranges)
  return ranges
}

/** Whether there is such a property, without listing its characters, which takes a while. */
export const isProperty = (name: string): boolean => propertyTest(name) !== undefined

function propertyTest(name: string): RegExp | undefined {
  if (!/^[A-Za-z_]+(?:=\w+)?$/.test(name)) return undefined
  try {
    return new RegExp(`^\\p{${name}}$`, 'u')
  } catch {
    return undefined
  }
}
