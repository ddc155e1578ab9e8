import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Awaitable, Call, Handle, Policy } from '../../src/call.ts'
import type { Result } from '../../src/jsonrpc/message.ts'
import { compose } from '../../src/policies/policy.ts'
import { resultStep } from '../../src/policies/result-step.ts'

const call = { method: 'tools/call' } as Call

/** What a policy in the middle of a stack does with a result or an error. */
interface Doing {
  readonly kind: 'step' | 'around'
  readonly onResult: 'change' | 'fail' | 'same'
  readonly onError: 'change' | 'answer' | 'same'
  readonly isLater: boolean
}

const doing: fc.Arbitrary<Doing> = fc.record({
  kind: fc.constantFrom('step', 'around'),
  onResult: fc.constantFrom('change', 'fail', 'same'),
  onError: fc.constantFrom('change', 'answer', 'same'),
  isLater: fc.boolean(),
})

const marked = (result: Result, mark: string): Result => ({ marks: [...((result.marks as string[]) ?? []), mark] })

function policyOf({ kind, onResult, onError, isLater }: Doing, i: number): Policy {
  const soon = (work: () => Result): Awaitable<Result> => (isLater ? Promise.resolve().then(work) : work())
  const taken = (result: Result): Awaitable<Result> =>
    soon(() => {
      if (onResult === 'fail') throw new Error(`refused by ${i}`)
      return onResult === 'change' ? marked(result, `result ${i}`) : result
    })
  const failed = (error: unknown): Awaitable<Result> =>
    soon(() => {
      if (onError === 'answer') return { marks: [`answered by ${i}: ${String(error)}`] }
      throw onError === 'change' ? new Error(`${(error as Error).message}, ${i}`) : error
    })
  if (kind === 'step') return resultStep({ onResult: taken, onError: failed })
  return async (own, next) => {
    let result: Result
    try {
      result = await next(own)
    } catch (error) {
      return await failed(error)
    }
    return taken(result)
  }
}

const ended = async (handle: Handle): Promise<unknown> => {
  try {
    return await handle(call)
  } catch (error) {
    return String(error)
  }
}

describe('steps after a call', () => {
  test('come to the same in one promise as one around the other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(doing, { maxLength: 6 }),
        fc.constantFrom('now', 'later', 'fails'),
        async (all, how) => {
          const policies = all.map(policyOf)
          const handle: Handle = () => {
            if (how === 'fails') throw new Error('the tool failed')
            return how === 'later' ? Promise.resolve({ marks: ['tool'] }) : { marks: ['tool'] }
          }
          const nested = policies.reduceRight<Handle>((next, policy) => own => policy(own, next), handle)
          expect(await ended(compose(policies, handle))).toEqual(await ended(nested))
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('are done at once where nothing has to be waited for', () => {
    const mark = (name: string): Policy => resultStep({ onResult: result => marked(result, name) })
    const run = compose([mark('outer'), mark('middle'), mark('inner')], () => ({ marks: [] }))
    expect(run(call)).toEqual({ marks: ['inner', 'middle', 'outer'] })
    const refusing = resultStep({
      onResult() {
        throw new Error('no')
      },
    })
    expect(() => compose([mark('outer'), refusing], () => ({}))(call)).toThrow('no')
  })

  test('let errors through as they are', () => {
    const error = new Error('mine')
    const run = compose([resultStep({}), resultStep({ onResult: result => result })], () => {
      throw error
    })
    expect(() => run(call)).toThrow(error)
  })
})
