import { expect, test } from 'vitest'
import { functionsOf, rowsOf } from './golden.ts'

test('if, elif, else, conditional expressions and boolean operators', async () => {
  expect(
    await rowsOf(
      'python',
      `
def grade(n, strict=False):
    if n > 90 and not strict:        # +1, and +1
        return 'A'
    elif n > 80 or n < 0:            # +1, or +1
        return 'B'
    else:                            # +1
        x = 1 if strict else 2       # +2
    return x
`,
    ),
  ).toEqual([['grade', 6, 7, 1, 2, 1]])
})

test('loops with else, try with several handlers', async () => {
  expect(
    await rowsOf(
      'python',
      `
async def fetch(self, urls, *, retries: int = 3, **options):
    async for url in urls:           # +1
        while retries:               # +2
            try:
                break
            except ValueError:       # +3
                continue
            except (OSError, KeyError) as e:  # +3
                raise
            else:                    # +1
                pass
            finally:
                pass
        else:                        # +1
            pass
    with open('x') as f, open('y') as g:
        assert f
`,
    ),
  ).toEqual([['fetch', 5, 11, 3, 4, 1]])
})

test('match: cases with a test and guards decide', async () => {
  expect(
    await rowsOf(
      'python',
      `
def kind(v):
    match v:                     # cognitive +1
        case 0 | 1:              # decision
            return 'bit'
        case [x, y] if x > y:    # decision, and its guard
            return 'pair'
        case str():              # decision
            return 'text'
        case other:              # takes whatever is left
            return other
def default(v):
    match v:
        case 1: return 1
        case _ if v: return 2    # only the guard
        case _: return 3
`,
    ),
  ).toEqual([
    ['kind', 5, 1, 1, 1, 1],
    ['default', 3, 1, 1, 1, 11],
  ])
})

test('conditions of comprehensions decide', async () => {
  expect(
    await rowsOf(
      'python',
      `
def evens(xs):
    a = [x for x in xs if x % 2 == 0 if x]
    b = {k: v for k, v in a}
    return sum(x for x in b if x)
`,
    ),
  ).toEqual([['evens', 4, 0, 0, 1, 1]])
})

test('methods carry their class; lambdas and inner functions are seen; decorators are no deeper', async () => {
  expect(
    await rowsOf(
      'python',
      `
class Cache:
    @property
    def size(self): return len(self.data)
    def get(self, key, default=None): return self.get(key) if key else default
def decorate(f):
    def wrapper(*args):
        if args:                     # wrapper: +1, decorate: +1
            return f(*args)
    return wrapper
def outer(xs):
    def inner(x):
        if x: return 1               # inner: +1, outer: +2
    key = lambda p, *q: p or 1       # key: +1, outer: +1
    return sorted(xs, key=lambda z: inner(z))
`,
    ),
  ).toEqual([
    ['Cache.size', 1, 0, 0, 1, 3],
    ['Cache.get', 2, 2, 0, 3, 4],
    ['decorate', 1, 1, 0, 1, 5],
    ['wrapper', 2, 1, 1, 1, 6],
    ['outer', 1, 3, 0, 1, 10],
    ['inner', 2, 1, 1, 1, 11],
    ['key', 2, 1, 0, 2, 13],
    ['key', 1, 0, 0, 1, 14],
  ])
})

test('an argument is not what its bare name means', async () => {
  const source = 'def pick(xs): return sorted(xs, key=lambda x: key(x))\n'
  expect((await rowsOf('python', source)).map(([name, , cognitive]) => [name, cognitive])).toEqual([
    ['pick', 0],
    ['key', 0],
  ])
})

test('separators are no parameters', async () => {
  expect(await rowsOf('python', 'def f(a, /, b, *, c): pass\ndef g(*args, **kw): pass\n')).toEqual([
    ['f', 1, 0, 0, 3, 1],
    ['g', 1, 0, 0, 2, 2],
  ])
})

test('Halstead', async () => {
  const [f] = await functionsOf('python', 'def add(a, b):\n    """Doc"""\n    return f"{a}" + "x" + b\n')
  // operators: def ( , : return { + +   operands: add a b """Doc""" f"{a}" a "x" b
  expect(f?.halstead).toMatchObject({ operators: 8, distinct_operators: 7, operands: 8, distinct_operands: 6 })
})
