import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'

/** Says at the end, in one line, which tests were not run and what they need. */
export class NotRun implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>()
    for (const module of modules)
      for (const test of module.children.allTests('skipped')) {
        const needs = needsOf(test)
        if (needs !== undefined) counts.set(needs, (counts.get(needs) ?? 0) + 1)
      }
    if (counts.size === 0) return
    const [first = '', ...rest] = [...counts].map(([needs, count]) => `${count} that need ${needs}`)
    process.stdout.write(`not run: ${[first.replace(' ', ' tests '), ...rest].join(', ')}\n`)
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
