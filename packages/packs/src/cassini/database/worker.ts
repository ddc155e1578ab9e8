import { workerData } from 'node:worker_threads'
import { serveJobs } from '../../support/threads/thread.ts'
import { createQueryService } from './query-service.ts'
import type { Question } from './query-service.ts'
import type { ThreadData } from './worker-client.ts'

const { data, stop } = workerData as ThreadData
const flag = new Int32Array(stop)
const service = createQueryService(data, () => Atomics.load(flag, 0) !== 0)

serveJobs({ ask: (question: Question) => service.ask(question) })
