import { plain } from './excerpt.ts'

/** What runners say when there was nothing to run. */
const NONE = [
  // vitest, jest
  /^No tests? (?:files? )?found, exiting with code 0/,
  // mocha, bun
  /^\s+0 passing\b/,
  /^\s*0 pass$/,
  // node:test
  /^(?:#|ℹ) tests 0$/,
  // pytest
  /^=* ?no tests ran in /,
  // cargo, go, deno
  /^test result: ok\. 0 passed; 0 failed;/,
  /^(?:ok|\?)\s+\S+\s+.*\[no tests? (?:files|to run)\]$/,
  /^ok \| 0 passed \| 0 failed/,
  // dotnet, maven, gradle, ctest
  /^No test (?:matches the given testcase filter|is available)\b/,
  /^\[INFO\] (?:No tests to run\.|Tests run: 0,)/,
  /^> Task :\S*[tT]est NO-SOURCE$/,
  /^No tests were found!!!$/,
]

/** What they say when something was run. */
const SOME = [
  /^\s+[1-9]\d* (?:passing|failing)\b/,
  /^\s*[1-9]\d* (?:pass|fail)$/,
  /^\s*Tests:? +.*[1-9]\d* (?:passed|failed)/,
  /^(?:#|ℹ) tests [1-9]/,
  /^=* ?.*\b[1-9]\d* (?:passed|failed|xfailed|xpassed)\b.* in [\d.]+s/,
  /^test result: \w+\. (?:[1-9]\d* passed|0 passed; [1-9]\d* failed);/,
  /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*\[no tests)/,
  /^(?:ok|FAILED) \| (?:[1-9]\d* passed|0 passed \| [1-9]\d* failed)/,
  /^(?:Passed|Failed)!\s+- /,
  /^\[\w+\] Tests run: [1-9]/,
  /^\d+% tests passed/,
]

// Of so much output nobody says that nothing was run.
const MOST = 1024 * 1024

/** Did a test runner say that it ran no test at all? Of what is not known to be one, nothing is said. */
export function ranNothing(stdout: string, stderr: string): boolean {
  if (stdout.length + stderr.length > MOST) return false
  const lines = plain(`${stdout}\n${stderr}`).split('\n')
  const isAny = (patterns: readonly RegExp[]): boolean =>
    lines.some(line => line.length < 300 && patterns.some(pattern => pattern.test(line)))
  return isAny(NONE) && !isAny(SOME)
}
