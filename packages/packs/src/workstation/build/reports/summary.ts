const SUMMARIES = [
  // vitest, jest
  /^\s*(?:Test Files|Tests|Test Suites): ? +\d+.*$/,
  /^\s*(?:Test Files|Tests) +(?:\d+ \w+|no tests).*$/,
  // mocha
  /^\s+\d+ (?:passing|failing|pending)\b.*$/,
  // node:test
  /^(?:#|ℹ) (?:tests|pass|fail|skipped) \d+$/,
  // pytest
  /^=* ?(?:\d+ (?:passed|failed|error|errors|skipped|deselected|xfailed|xpassed|warnings?),? ?)+in [\d.]+s.*$/,
  // cargo, go, dotnet, maven, gradle
  /^test result: .*$/,
  /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[.*\]).*$/,
  /^(?:Passed|Failed)!\s+- .*$/,
  /^\s*\d+ (?:Warning|Error)\(s\)$/,
  /^\[\w+\] (?:Tests run: .*|BUILD (?:SUCCESS|FAILURE))$/,
  /^BUILD (?:SUCCESSFUL|FAILED) in .*$/,
  // eslint, tsc
  /^✖ \d+ problems? .*$/,
  /^Found \d+ errors?.*$/,
]
const MOST = 12

/** The lines in which a run counts what it did: the last few. */
export const summaryOf = (lines: readonly string[]): string[] =>
  lines
    .filter(line => line.length < 300 && SUMMARIES.some(pattern => pattern.test(line)))
    .slice(-MOST)
    .map(line => line.trim())
