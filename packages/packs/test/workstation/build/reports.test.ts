import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { excerpt, plain, plainLines } from '../../../src/workstation/build/reports/excerpt.ts'
import { findingsIn, report } from '../../../src/workstation/build/reports/report.ts'

const sample = (name: string): string => readFileSync(new URL(`samples/${name}.txt`, import.meta.url), 'utf8')
const found = (name: string): string[] =>
  findingsIn(plainLines(sample(name))).map(({ place, title, detail = [] }) =>
    [place ?? '-', title, detail[0]?.trim()].filter(part => part !== undefined).join(' | '),
  )

// Those of go, dotnet, maven and gradle are written by hand; all others are what the tools wrote.
test.each<[string, string[]]>([
  [
    'vitest',
    [
      '- | bad.test.ts [ bad.test.ts ] | Error: No test suite found in file /tmp/samples/vt/bad.test.ts',
      'sum.test.ts:3:70 | sum.test.ts > group > fails to add | AssertionError: expected 2 to be 3 // Object.is equality',
      'sum.test.ts:4:31 | sum.test.ts > group > throws | TypeError: x is not a function',
    ],
  ],
  [
    'jest',
    [
      'sum.test.js:2:70 | group › fails to add | expect(received).toBe(expected) // Object.is equality',
      'sum.test.js:3:31 | group › throws | TypeError: x is not a function',
    ],
  ],
  [
    'mocha',
    [
      'sum.js:2:97 | group > fails to add | AssertionError [ERR_ASSERTION]: 2 == 3',
      'sum.js:3:53 | group > inner > throws | TypeError: x is not a function',
    ],
  ],
  [
    'node-tap',
    [
      '/tmp/samples/node/sum.test.js:3:1 | fails to add | 2 == 3',
      '/tmp/samples/node/sum.test.js:4:36 | inner throws | x is not a function',
    ],
  ],
  [
    'node-spec',
    [
      'sum.test.js:3:1 | fails to add | AssertionError [ERR_ASSERTION]: 2 == 3',
      'sum.test.js:4:36 | inner throws | TypeError [Error]: x is not a function',
    ],
  ],
  [
    'pytest',
    [
      'test_sum.py:10 | ERROR at setup of test_fixture | RuntimeError: no db',
      'test_sum.py:4 | test_add | assert -1 == 3',
      'test_sum.py:8 | TestX.test_n[2] | assert 2 == 1',
    ],
  ],
  [
    'pytest-collection',
    ["test_bad.py:1 | ERROR collecting test_bad.py | ModuleNotFoundError: No module named 'nothing_here'"],
  ],
  [
    'pytest-short',
    [
      '- | test_sum.py::test_add | assert -1 == 3',
      '- | test_sum.py::TestX::test_n[2] | assert 2 == 1',
      '- | test_sum.py::test_fixture | RuntimeError: no db',
    ],
  ],
  [
    'cargo-test',
    [
      'src/lib.rs:6:25 | tests::adds | assertion `left == right` failed',
      'src/lib.rs:7:54 | tests::panics | index out of bounds: the len is 0 but the index is 0',
    ],
  ],
  ['cargo-build', ['src/lib.rs:9:23 | E0308: mismatched types | |']],
  [
    'gcc',
    ['a.c:4:18 | ‘undeclared’ undeclared (first use in this function)', 'a.c:5:20 | expected ‘;’ before ‘}’ token'],
  ],
  ['linker', ["b.c | undefined reference to `f'"]],
  [
    'tsc',
    [
      "a.ts:1:7 | TS2322: Type 'string' is not assignable to type 'number'.",
      "a.ts:2:49 | TS2551: Property 'lenght' does not exist on type 'string'. Did you mean 'length'?",
    ],
  ],
  [
    'tsc-pretty',
    [
      "a.ts:1:7 | TS2322: Type 'string' is not assignable to type 'number'.",
      "a.ts:2:49 | TS2551: Property 'lenght' does not exist on type 'string'. Did you mean 'length'?",
    ],
  ],
  [
    'eslint',
    [
      "/tmp/samples/esl/a.js:1:18 | 'b' is not defined  no-undef",
      "/tmp/samples/esl/a.js:1:20 | Expected '===' and instead saw '=='  eqeqeq",
      "/tmp/samples/esl/a.js:1:26 | 'c' is not defined  no-undef",
      "/tmp/samples/esl/b.js:1:7 | Expected '===' and instead saw '=='  eqeqeq",
      "/tmp/samples/esl/b.js:1:13 | 'zz' is not defined  no-undef",
      "/tmp/samples/esl/eslint.config.js:1:1 | 'module' is not defined  no-undef",
    ],
  ],
  [
    'go-test-verbose',
    [
      'sum_test.go:9 | TestAdd | sum_test.go:9: add(1, 2) = -1, want 3',
      'sum_test.go:17 | TestGroup/negative | sum_test.go:17: got 4',
      'sum_test.go:30 | TestParallel | sum_test.go:30: too late',
    ],
  ],
  [
    'go-test',
    [
      'sum_test.go:9 | TestAdd | sum_test.go:9: add(1, 2) = -1, want 3',
      'sum_test.go:17 | TestGroup/negative | sum_test.go:17: got 4',
    ],
  ],
  [
    'go-build',
    [
      './sum.go:4:9 | cannot use "x" (untyped string constant) as int value in return statement',
      './sum.go:8:2 | declared and not used: y',
    ],
  ],
  [
    'dotnet',
    [
      "/src/App/Sum.cs:7:20 | CS0029: Cannot implicitly convert type 'string' to 'int'",
      '/src/App.Tests/SumTests.cs:9 | App.Tests.SumTests.Adds | Assert.Equal() Failure: Values differ',
    ],
  ],
  [
    'maven',
    [
      'ATest.java:5 | p.ATest.adds | java.lang.AssertionError: expected:<3> but was:<-1>',
      'ATest.java:6 | p.ATest.throwsIt | java.lang.IllegalStateException: boom',
    ],
  ],
  [
    'maven-compile',
    ['/src/p/src/main/java/p/B.java:1:30 | incompatible types: java.lang.String cannot be converted to int'],
  ],
  ['gradle', ['ATest.java:9 | ATest > adds() | org.opentest4j.AssertionFailedError at ATest.java:9']],
])('%s: what failed, and where', (name, expected) => {
  expect(found(name)).toEqual(expected)
})

test('maven says why it could not begin', () => {
  expect(found('maven-offline')[0]).toMatch(/Failed to execute goal .*could not be resolved/)
})

test('a failure in the middle of much output is shown first, then the end', () => {
  const noise = (count: number): string => Array.from({ length: count }, (_, i) => `  ✓ passes ${i}\n`).join('')
  const stdout = `${noise(50_000)}${sample('vitest')}${noise(50_000)}the very end\n`
  const words = report({ stdout, stderr: '', ok: false })
  expect(words.slice(0, 400)).toContain('sum.test.ts:3:70 sum.test.ts > group > fails to add')
  expect(words).toMatch(/lines left out/)
  expect(words).toMatch(/the very end$/)
  expect(words.length).toBeLessThan(16_000)
})

test('output of no known report: the lines that tell, and mostly its end', () => {
  const filler = Array.from({ length: 5000 }, (_, i) => `step ${i}`)
  filler[2500] = 'deploy.sh:12: cannot reach the database'
  const words = report({ stdout: `${filler.join('\n')}\n`, stderr: '', ok: false })
  expect(words).toMatch(/^Lines that may tell why:\n- deploy\.sh:12: cannot reach the database\n/)
  expect(words).toMatch(/step 0\n[^]*left out[^]*step 4999$/)
  expect(words.split('step 2').length).toBeLessThan(400)
})

test('a success is short: its counts, and the end of the output', () => {
  const stdout = `${'ok\n'.repeat(20_000)} Tests  12 passed (12)\n`
  const words = report({ stdout, stderr: '', ok: true })
  expect(words).toMatch(/^Tests {2}12 passed \(12\)\n\[stdout\]/)
  expect(words.length).toBeLessThan(2500)
})

test('colours and what was overwritten are gone', () => {
  expect(plain('\u001B[31mred\u001B[39m \u001B]8;;http://x\u0007link\u001B]8;;\u0007 \u001B(Bend')).toBe('red link end')
  expect(plain('10 %\r50 %\r100 %\r\nnext\r\n')).toBe('100 %\nnext\n')
})

test('an excerpt keeps whole lines of both ends', () => {
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i}`)
  expect(excerpt(lines, 10_000)).toBe(lines.join('\n'))
  const cut = excerpt(lines, 120)
  expect(cut).toMatch(/^line 0\n.*\[… \d+ lines left out …\]\n.*line 99$/s)
  expect(cut.length).toBeLessThan(160)
  expect(excerpt(['x'.repeat(100_000)], 2000)).toMatch(/99100 characters left out/)
})

test('hostile output takes no long time', () => {
  const parts = [
    ' > '.repeat(200),
    '\u001B]'.repeat(500),
    '\u001B[1;'.repeat(200),
    '___ '.repeat(300),
    'at ('.repeat(300),
  ]
  const hostile = parts.flatMap(part => Array.from({ length: 1000 }, () => part)).join('\n')
  const headings = '___ x ___\n'.repeat(50_000)
  const started = process.cpuUsage()
  expect(report({ stdout: hostile, stderr: headings, ok: false }).length).toBeLessThan(40_000)
  expect(report({ stdout: '\r'.repeat(300_000), stderr: `${' '.repeat(300_000)}x`, ok: false }).length).toBeLessThan(
    40_000,
  )
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000)
})

test('what npm says went wrong comes before how it is used', () => {
  const padding = 'npm warn something\n'.repeat(200)
  const words = report({ stdout: '', stderr: `${padding}${sample('npm-eusage')}`, ok: false })
  const [told = ''] = words.split('[stderr]')
  expect(told).toContain('The `npm ci` command can only install with an existing package-lock.json')
  expect(told).not.toContain('--legacy-bundling')
})
