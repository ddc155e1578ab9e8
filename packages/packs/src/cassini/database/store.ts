import type { Answer, Answers, Outcome, Question } from './query-service.ts'
import { WorkerThreadClient, inThreadClient } from './worker-client.ts'
import type { WorkerClient } from './worker-client.ts'

/** The plan, as tools ask it. */
export interface Store {
  ask<Q extends Question>(question: Q, signal?: AbortSignal): Promise<Answer<Answers[Q['kind']]>>
}

/** May the question read a large part of the plan? Such questions have a thread to themselves. */
const isDeep = (question: Question): boolean =>
  question.kind === 'search' ||
  question.kind === 'counts' ||
  (question.kind === 'list' && question.part.sort !== undefined)

/** The plan of a folder; nothing is opened before the first question. */
export function createStore(data: string | undefined, worker?: URL): Store {
  let quick: Promise<WorkerClient> | undefined
  let deep: Promise<WorkerClient> | undefined
  const first = (): Promise<WorkerClient> => (quick ??= openLane(data, worker))
  // The second thread finds the database that the first has made.
  const second = async (): Promise<WorkerClient> => {
    const ready = await first()
    await ready.ask({ kind: 'about' })
    return isThreaded(worker) ? openLane(data, worker) : ready
  }
  return {
    async ask<Q extends Question>(question: Q, signal?: AbortSignal) {
      const client = await (isDeep(question) ? (deep ??= second()) : first())
      return settle<Q>(await client.ask(question, signal))
    },
  }
}

// Sources are run by a test runner, whose way of reading TypeScript a thread of its own does not have.
const isThreaded = (worker: URL | undefined): boolean => worker !== undefined || !import.meta.url.endsWith('.ts')

async function openLane(data: string | undefined, worker: URL | undefined): Promise<WorkerClient> {
  if (isThreaded(worker)) return new WorkerThreadClient(worker ?? new URL('./cassini-worker.js', import.meta.url), data)
  const { createQueryService } = await import('./query-service.ts')
  return inThreadClient(createQueryService(data, () => false))
}

function settle<Q extends Question>(outcome: Outcome): Answer<Answers[Q['kind']]> {
  if ('answer' in outcome) return outcome.answer as Answer<Answers[Q['kind']]>
  if ('problem' in outcome) throw new Error(outcome.problem)
  // An accident, not something the caller did: a TypeError is masked and logged.
  throw new TypeError(outcome.accident)
}
