import { expect, test } from 'vitest'
import { functionsOf, rowsOf } from './golden.ts'

test('a straight line is 1 and 0', async () => {
  expect(await rowsOf('typescript', 'function f(a: number, b = 1) {\n  return a + b\n}')).toEqual([
    ['f', 1, 0, 0, 2, 1],
  ])
})

test('if, else if and else: each condition decides, only the first is nested', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
function grade(n: number): string {
  if (n > 90) {          // +1
    return 'A'
  } else if (n > 80) {   // +1
    return 'B'
  } else {               // +1, no decision
    if (n > 70) {        // +2
      return 'C'
    }
  }
  return 'D'
}`,
    ),
  ).toEqual([['grade', 4, 5, 2, 1, 1]])
})

test('loops nest', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
function primes(max: number): number {
  let total = 0
  OUT: for (let i = 1; i <= max; ++i) {  // +1
    for (let j = 2; j < i; ++j) {        // +2
      if (i % j === 0) {                 // +3
        continue OUT                     // +1
      }
    }
    total += i
  }
  return total
}`,
    ),
  ).toEqual([['primes', 4, 7, 3, 1, 1]])
})

test('every kind of loop, and jumps without a label are free', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
function loops(xs: number[], o: object) {
  for (const x of xs) if (x) break   // +1 +2
  for (const k in o) continue        // +1
  while (xs.length) xs.pop()         // +1
  do { xs.push(1) } while (!xs)      // +1
}`,
    ),
  ).toEqual([['loops', 6, 6, 2, 2, 1]])
})

test('a switch is one thing to understand and as many decisions as it has tests', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
function words(n: number): string {
  switch (n) {        // cognitive +1
    case 1: return 'one'
    case 2: return 'a couple'
    case 3:
    case 4: return 'a few'
    default: return 'lots'
  }
}`,
    ),
  ).toEqual([['words', 5, 1, 1, 1, 1]])
})

test('logical operators: McCabe counts each, cognitive each run of like ones', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
const all = (a: any, b: any, c: any, d: any) => a && b && c && d
const mixed = (a: any, b: any, c: any, d: any) => a && b || c && d
const negated = (a: any, b: any, c: any) => a && !(b && c)
const grouped = (a: any, b: any, c: any) => a && (b && c)
const fallback = (a: any, b: any) => a?.b ?? b
function assigns(a: any, b: any) { a &&= b; a ||= b; a ??= b }`,
    ),
  ).toEqual([
    ['all', 4, 1, 0, 4, 1],
    ['mixed', 4, 3, 0, 4, 2],
    ['negated', 3, 2, 0, 3, 3],
    ['grouped', 3, 1, 0, 3, 4],
    ['fallback', 2, 0, 0, 2, 5],
    ['assigns', 4, 0, 0, 2, 6],
  ])
})

test('a ternary decides and nests, but is no block', async () => {
  expect(await rowsOf('typescript', 'const pick = (a: any, b: any) => (a ? (b ? 1 : 2) : 3)')).toEqual(
    // +1 +2
    [['pick', 3, 3, 0, 2, 1]],
  )
})

test('catch counts, try and finally do not', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
function careful(a: any, b: any) {
  try {
    if (a) {                  // +1
      for (;;) {              // +2
        while (b) { b() }     // +3
      }
    }
  } catch (e) {               // +1
    if (b) throw e            // +2
  } finally {
    a()
  }
}`,
    ),
  ).toEqual([['careful', 6, 9, 3, 2, 1]])
})

test('closures count for themselves, and for nobody else', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
function outer(xs: number[]) {
  for (const x of xs) {                 // +1
    const inner = (y: number) => {
      if (y > x) return y               // inner: +1
      return x
    }
    inner(x)
  }
  return xs.filter(x => x > 0 && x < 9) // anonymous: +1
}`,
    ),
  ).toEqual([
    ['outer', 2, 1, 1, 1, 1],
    ['inner', 2, 1, 1, 1, 3],
    ['<anonymous>', 2, 1, 0, 1, 9],
  ])
})

test('what another function holds counts once: for itself, or in languages whose analysers say so for the outer one', async () => {
  const script = await functionsOf('javascript', 'function read(a) { if (a) return () => { if (a) return a ? 1 : 2 } }')
  expect(script.map(f => [f.name, f.cognitive, f.enclosing])).toEqual([
    ['read', 1, undefined],
    ['<anonymous>', 3, undefined],
  ])
  const java = await functionsOf('java', 'class A { void read() { if (a) run(() -> { if (b) c(); }); } }')
  expect(java.map(f => [f.name, f.cognitive, f.enclosing])).toEqual([
    ['A.read', 4, undefined],
    ['<anonymous>', 1, 'A.read'],
  ])
})

test('a default value is nothing to understand', async () => {
  const source = `
function defaults(a, b) {
  const list = a || []
  a = a ?? 'none'
  a.b = a.b || {}
  b = a || 1          // +1
  return list || a    // +1
}`
  expect((await functionsOf('javascript', source)).map(f => [f.cyclomatic, f.cognitive])).toEqual([[6, 2]])
})

test('a function that only declares others does not count what they do', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
function module() {
  const helper = function (a: any) { if (a) return 1 }
  return { helper, method() { return helper(1) } }
}`,
    ),
  ).toEqual([
    ['module', 1, 0, 0, 0, 1],
    ['helper', 2, 1, 1, 1, 2],
    ['method', 1, 0, 0, 0, 3],
  ])
})

test('methods, accessors, fields, generators, overloads and what has no body', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
abstract class Shape {
  #size = (n: number) => (n ? 1 : 0)
  constructor(private a: number, b?: string) {}
  get area() { return 1 }
  static async *all() { yield 1 }
  abstract z(): void
  over(a: string): void
  over(a: number): void
  over(a: unknown) { if (a) return }
}
declare function outside(a: number): void
export default function () {}
function* gen(...rest: string[]) { yield rest }`,
    ),
  ).toEqual([
    ['Shape.#size', 2, 1, 0, 1, 2],
    ['Shape.constructor', 1, 0, 0, 2, 3],
    ['Shape.area', 1, 0, 0, 0, 4],
    ['Shape.all', 1, 0, 0, 0, 5],
    ['Shape.over', 2, 1, 1, 1, 9],
    ['<anonymous>', 1, 0, 0, 0, 12],
    ['gen', 1, 0, 0, 1, 13],
  ])
})

test('a member of an object is not what its bare name means', async () => {
  const source = `
const parse = (text: string) => JSON.parse(text)
export const json = { parse: (text: string) => parse(text), size(text: string) { return size(text) } }`
  expect((await rowsOf('typescript', source)).map(([name, , cognitive]) => [name, cognitive])).toEqual([
    ['parse', 0],
    ['json.parse', 0],
    ['json.size', 0],
  ])
})

test('recursion is one more, direct or through another function', async () => {
  expect(
    await rowsOf(
      'typescript',
      `
function fib(n: number): number { return n < 2 ? n : fib(n - 1) + fib(n - 2) } // ternary +1, recursion +1
function even(n: number): boolean { return n === 0 || odd(n - 1) }             // || +1, recursion +1
function odd(n: number): boolean { return n !== 0 && even(n - 1) }
class Tree { size(): number { return this.size() } get(k: any) { return map.get(k) } }
function free(n: number) { return other.free(n) }
const map = new Map()`,
    ),
  ).toEqual([
    ['fib', 2, 2, 0, 1, 1],
    ['even', 2, 2, 0, 1, 2],
    ['odd', 2, 2, 0, 1, 3],
    ['Tree.size', 1, 1, 0, 0, 4],
    ['Tree.get', 1, 0, 0, 1, 4],
    ['free', 1, 0, 0, 1, 5],
  ])
})

test('JSX and TSX', async () => {
  expect(
    await rowsOf(
      'tsx',
      `
export const List = ({ items }: { items: string[] }) => (
  <ul>{items.length > 0 ? items.map(i => <li key={i}>{i && <b>{i}</b>}</li>) : null}</ul>
)`,
    ),
  ).toEqual(
    // Each for itself.
    [
      ['List', 2, 1, 0, 1, 1],
      ['<anonymous>', 2, 1, 0, 1, 2],
    ],
  )
})

test('Halstead counts operators and operands: real ones', async () => {
  const [add] = await functionsOf('javascript', 'function add(a, b) { return a + b * a }')
  // operators: function ( , { return + *   operands: add a b a b a
  expect(add?.halstead).toEqual({
    distinct_operators: 7,
    distinct_operands: 3,
    operators: 7,
    operands: 6,
    volume: 43.19, // 13 · log2(10)
    difficulty: 7, // 7/2 · 6/3
    effort: 302.3,
  })
  // (171 − 5.2·ln 43.19 − 0.23·1 − 16.2·ln 1) · 100/171
  expect(add?.maintainability).toBe(88.41)
})

test('strings are one operand, what stands in them counts itself', async () => {
  const [f] = await functionsOf('javascript', "const f = () => `a${x}b` + 'it\\'s' + /r/g")
  // operators: ( => ${ + +   operands: the template, x, the string, the regular expression
  expect(f?.halstead).toMatchObject({ operators: 5, distinct_operators: 4, operands: 4, distinct_operands: 4 })
})

test('an operator belongs to the innermost function only', async () => {
  const [outer, inner] = await functionsOf('javascript', 'const outer = a => b => a + b')
  expect(outer?.halstead).toMatchObject({ operators: 1, operands: 1 })
  expect(inner?.halstead).toMatchObject({ operators: 2, operands: 3 })
})

test('a function that does not parse is not measured, its neighbours are', async () => {
  const { analyse } = await import('../../../src/toolkit/analysis/measure/analyse.ts')
  const source = 'function good(a) { if (a) return 1 }\nfunction bad(a) { if (a { return 2 }\n}\n'
  const { functions, fault } = await analyse('x.js', source, 'javascript')
  expect(functions.map(f => [f.name, f.cyclomatic])).toContainEqual(['good', 2])
  expect(functions.map(f => f.name)).not.toContain('bad')
  expect(fault).toMatchObject({ file: 'x.js', line: 2 })
})

test('a chain of ten thousand operators is no problem', async () => {
  const source = `const f = a => ${Array.from({ length: 10_000 }, () => 'a').join(' && ')}`
  const [f] = await functionsOf('javascript', source)
  expect([f?.cyclomatic, f?.cognitive]).toEqual([10_000, 1])
})
