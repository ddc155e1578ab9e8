import { execFileSync } from 'node:child_process'

const cache = new Map<string, boolean>()

/**
 * Is a program installed that some tests need? Where it is not, one line says what was not run; where the variable
 * TEST_REQUIRE names it (`TEST_REQUIRE=redis,chromium`), its absence is a failure.
 */
export function hasTool(name: string, program: string, what: string, versionFlag = '--version'): boolean {
  const known = cache.get(program)
  if (known !== undefined) return known
  const isThere = canRun(program, versionFlag)
  cache.set(program, isThere)
  if (isThere) return true
  const required = (process.env.TEST_REQUIRE ?? '').split(/[\s,]+/)
  if (required.includes(name)) throw new Error(`${program} is not installed, and TEST_REQUIRE demands ${name}`)
  process.stderr.write(`not run, since ${program} is not installed: ${what}\n`)
  return false
}

function canRun(program: string, versionFlag: string): boolean {
  try {
    execFileSync(program, [versionFlag], { stdio: 'ignore', timeout: 10_000 })
    return true
  } catch {
    return false
  }
}
