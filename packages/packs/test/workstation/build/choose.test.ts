import { expect, test } from 'vitest'
import { testScript } from '../../../src/workstation/build/node-runners.ts'
import { ranNothing } from '../../../src/workstation/build/reports/no-tests.ts'
import { toolchains } from '../../../src/workstation/build/toolchains.ts'
import type { Chosen, Project } from '../../../src/workstation/build/toolchain.ts'

function words(name: string, chosen: Chosen, project: Partial<Project> = {}): string | undefined {
  const toolchain = toolchains.find(one => one.name === name)
  const whole = { names: new Set<string>(), file: undefined, ...project }
  return toolchain?.choose?.(chosen, whole, toolchain.command('test', whole) ?? [])?.join(' ')
}

const npm = (script: string, chosen: Chosen, project: Partial<Project> = {}): string | undefined =>
  words('npm', chosen, { testScript: script, ...project })

test('a script that names no files is given one; of one that does, its runner is run without them', () => {
  const file = 'test/a.test.js'
  const express = 'mocha --require test/support/env --reporter spec --check-leaks test/ test/acceptance/'
  expect(npm(express, { file })).toBe(
    'npm exec --no -- mocha --require test/support/env --reporter spec --check-leaks ./test/a.test.js',
  )
  expect(npm(express, { test: 'adds' })).toBe('npm run test -- --grep adds')
  expect(npm('mocha', { file })).toBe('npm run test -- ./test/a.test.js')
  expect(npm('mocha', { file }, { hasMochaSpec: true })).toBeUndefined()
  expect(npm('vitest run', { file, test: 'adds' })).toBe('npm run test -- -t adds ./test/a.test.js')
  expect(npm('vitest run src', { file })).toBe('npm exec --no -- vitest run ./test/a.test.js')
  expect(npm('jest --ci src', { file })).toBe('npm exec --no -- jest --ci --runTestsByPath ./test/a.test.js')
  expect(npm('cross-env NODE_ENV=test c8 mocha "test/**/*.js"', { file })).toBe(
    'npm exec --no -- cross-env NODE_ENV=test c8 mocha ./test/a.test.js',
  )
  expect(npm('node --test test/*.test.js', { file })).toBe('node --test ./test/a.test.js')
  expect(npm('node --test t/a.js t/b.js', { test: 'adds' })).toBe('node --test --test-name-pattern adds t/a.js t/b.js')
  expect(npm('node --test t/*.js', { test: 'adds' })).toBeUndefined()
  expect(npm('tsc -p . && node --test', { file })).toBe('npm run test -- ./test/a.test.js')
  expect(words('pnpm', { file }, { testScript: 'ava src' })).toBe('pnpm exec ava ./test/a.test.js')
  expect(words('yarn', { file }, { testScript: 'playwright test e2e' })).toBe(
    'yarn run playwright test ./test/a.test.js',
  )
})

test.each([
  'node scripts/test.js',
  'tsc -p . && mocha test/',
  'NODE_ENV=test mocha test/',
  'mocha --odd test/',
  'mocha test/ | tee log',
  'mocha test/ && echo done',
  'make check',
  "mocha 'open",
])('the script %j cannot be narrowed to a file', script => {
  expect(npm(script, { file: 'test/a.js' })).toBeUndefined()
})

test('a hostile script takes no long time', () => {
  expect(testScript(`mocha ${'-a b '.repeat(20_000)}`)?.call).toBeUndefined()
  expect(testScript(`${' && '.repeat(20_000)}mocha`)?.hasFiles).toBe(false)
})

test('other toolchains run only the file, or say that they cannot', () => {
  expect(words('cargo', { file: 'tests/api.rs', test: 'adds' })).toBe('cargo test --test api adds')
  expect(words('cargo', { file: 'src/money/mod.rs' })).toBe('cargo test money::')
  expect(words('cargo', { file: 'crates/a/src/b/c.rs' })).toBe(
    'cargo test --manifest-path ./crates/a/Cargo.toml b::c::',
  )
  expect(words('cargo', { file: 'src/lib.rs' })).toBeUndefined()
  expect(words('cargo', { file: 'tests/common/mod.rs' })).toBeUndefined()
  const source = 'package a\n\nfunc TestOne(t *testing.T) {}\nfunc helper() {}\nfunc ExampleTwo() {}\n'
  expect(words('go', { file: 'a/a_test.go', source })).toBe('go test -run ^(TestOne|ExampleTwo)$ ./a')
  expect(words('go', { file: 'a/a_test.go', source, test: 'TestOne/sub' })).toBe('go test -run ^(TestOne)$ ./a')
  expect(words('go', { file: 'a/a.go', source: 'package a\n' })).toBeUndefined()
  expect(words('go', { file: 'a', source: undefined })).toBe('go test ./a')
  expect(words('go', { test: 'TestOne' })).toBe('go test ./... -run TestOne')
  expect(words('python', { file: 'tests/test_a.py', test: 'adds' })).toBe('python3 -m pytest -k adds ./tests/test_a.py')
  expect(words('maven', { file: 'src/test/java/MoneyTest.java', test: 'adds' })).toBe(
    'mvn --batch-mode test -Dtest=MoneyTest#*adds*',
  )
  expect(words('maven', { test: 'MoneyTest' })).toBe('mvn --batch-mode test -Dtest=MoneyTest')
  expect(words('maven', { test: 'adds' })).toBe('mvn --batch-mode test -Dtest=*#*adds*')
  expect(words('gradle', { file: 'src/test/java/MoneyTest.java' })).toBe(
    'gradle --console=plain test --tests *.MoneyTest',
  )
  expect(words('dotnet', { file: 'MoneyTests.cs', test: 'Adds' })).toBe(
    'dotnet test --filter FullyQualifiedName~MoneyTests.&FullyQualifiedName~Adds',
  )
  expect(words('cmake', { file: 'a.cpp' })).toBeUndefined()
  expect(words('make', { file: 'a.c' })).toBeUndefined()
})

test.each([
  ['mocha', '\n\n  0 passing (1ms)\n', '  3 passing (5ms)\n'],
  ['vitest', 'No test files found, exiting with code 0\n', ' Tests  2 passed (2)\n'],
  ['node:test', '# tests 0\n# pass 0\n', '# tests 1\n# pass 1\n'],
  [
    'cargo',
    'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n',
    'test result: ok. 4 passed; 0 failed\n',
  ],
  ['go', 'ok  \texample.com/a\t0.002s [no tests to run]\n', 'ok  \texample.com/b\t0.002s\n'],
  ['dotnet', 'No test matches the given testcase filter `x` in a.dll\n', 'Passed!  - Failed: 0, Passed: 2\n'],
  ['maven', '[INFO] No tests to run.\n', '[INFO] Tests run: 3, Failures: 0\n'],
  ['gradle', '> Task :test NO-SOURCE\n', '[INFO] Tests run: 1\n'],
  ['ctest', 'No tests were found!!!\n', '100% tests passed, 0 tests failed out of 2\n'],
  ['deno', 'ok | 0 passed | 0 failed (2ms)\n', 'ok | 3 passed | 0 failed (2ms)\n'],
])('%s that ran no test is told from one that ran some', (_, none, some) => {
  expect(ranNothing(none, '')).toBe(true)
  expect(ranNothing('', none)).toBe(true)
  expect([ranNothing(some, ''), ranNothing(none + some, '')]).toEqual([false, false])
  expect(ranNothing('built\n', '')).toBe(false)
})
