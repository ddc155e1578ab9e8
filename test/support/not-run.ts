import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'

/** Says at the end, in one line, which tests were not run and what they need. */
export class NotRun implements Reporter {
  #isWhole = true

  onInit({ projects }: Vitest): void {
    this.#isWhole = projects.some(({ name }) => name === 'system') || projects.length < 2
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>()
    for (const module of modules)
      for (const test of module.children.allTests('skipped')) {
        const needs = needsOf(test)
        if (needs !== undefined) counts.set(needs, (counts.get(needs) ?? 0) + 1)
      }
    const [first, ...rest] = [...counts].map(([needs, count]) => `${count} that need ${needs}`)
    const parts = first === undefined ? [] : [first.replace(' ', ' tests '), ...rest]
    if (!this.#isWhole) parts.push('the tests of the whole system (npm run test:system)')
    if (parts.length > 0) process.stdout.write(`not run: ${parts.join(', ')}\n`)
  }
}

/** What a test, or what it stands in, needs. */
function needsOf(test: TestCase): string | undefined {
  for (let task: TestCase | TestSuite | TestModule = test; task.type !== 'module'; task = task.parent) {
    const { needs } = task.meta()
    if (needs !== undefined) return needs
  }
  return undefined
}
