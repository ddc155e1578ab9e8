import { expect, test } from 'vitest'
import { EXTENSION_SCENARIOS, SUITE, VERSIONS, conformance, only } from './conformance-run.ts'

test('the official conformance suite passes, whole, in every revision it knows', SUITE, async () => {
  const { code, passed, failed, complaints, said } = await conformance(...only(VERSIONS))
  expect({ code, failed, complaints }, said).toEqual({ code: 0, failed: 0, complaints: [] })
  for (const version of VERSIONS) expect(said).toContain(`\n${version}\n`)
  expect(passed).toBeGreaterThan(50 * VERSIONS.length)
  for (const scenario of EXTENSION_SCENARIOS) expect(said).toContain(`\n✓ ${scenario}`)
})

const SKILLS = ['enumeration', 'manifest', 'directory'].map(part => `sep-2640-skills-${part}`)

test.each(SKILLS)('the official scenario %s of the skills extension passes', SUITE, async scenario => {
  const { code, passed, failed, complaints, said } = await conformance('--scenario', scenario)
  expect({ code, failed, complaints }, said).toEqual({ code: 0, failed: 0, complaints: [] })
  expect(passed).toBeGreaterThan(5)
})
