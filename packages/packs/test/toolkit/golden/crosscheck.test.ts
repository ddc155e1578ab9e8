import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { folder, write } from '../world.ts'
import { functionsOf } from './golden.ts'

const OXLINT = fileURLToPath(new URL('../../../../../node_modules/oxlint/bin/oxlint', import.meta.url))

const SOURCE = `
export function plain(a) { return a }
export function branches(a, b) { if (a) return 1; else if (b) return 2; else return a && b ? 3 : 4 }
export function loops(xs) { for (;;) { while (xs) { do { xs = xs || 0 } while (xs) } } for (const x of xs) x(); for (const k in xs) k() }
export function cases(a) { switch (a) { case 1: case 2: return 1; case 3: { if (a) break; return 2 } default: return 3 } }
export function caught(a) { try { a() } catch (e) { if (e) throw e } finally { a() } }
export const arrow = a => (a ? b => (b && a) || 1 : () => a ?? 2)
export class Shape {
  #field = a => a && 1
  constructor(a) { this.a = a ||= 2 }
  get size() { return this.a ? 1 : 2 }
  async *walk(xs) { for await (const x of xs) { if (x) yield x } }
}
export const object = { method(a) { a &&= 1; a ??= 2 }, value: function () { return [1].filter(x => x && x > 0) } }
`

interface Diagnostic {
  readonly message: string
  readonly labels: { readonly span: { readonly line: number } }[]
}

/** Every function's line and cyclomatic complexity, as the linter counts it. */
async function linted(source: string): Promise<number[][]> {
  const root = write(folder(), {
    'sample.js': source,
    'lint.json': JSON.stringify({ categories: { correctness: 'off' }, rules: { complexity: ['error', { max: 0 }] } }),
  })
  const args = [OXLINT, '-c', join(root, 'lint.json'), '-f', 'json', join(root, 'sample.js')]
  const output = await new Promise<string>(resolve => {
    // Findings are its errors, so it always ends with one.
    execFile(process.execPath, args, (_, stdout) => resolve(stdout))
  })
  const { diagnostics } = JSON.parse(output) as { diagnostics: Diagnostic[] }
  // To the linter the initial value of a field is a function too.
  const functions = diagnostics.filter(({ message }) => !message.startsWith('class field'))
  return functions.map(({ message, labels }) => [
    labels[0]?.span.line ?? 0,
    Number(/complexity of (\d+)/.exec(message)?.[1]),
  ])
}

test('an independent analyser counts the same decisions', async () => {
  const ours = (await functionsOf('javascript', SOURCE)).map(f => [f.line, f.cyclomatic])
  const order = (a: number[], b: number[]): number => (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0)
  expect(ours).toHaveLength(15)
  expect(ours.toSorted(order)).toEqual((await linted(SOURCE)).toSorted(order))
})
