import { parentPort, workerData } from 'node:worker_threads'
import { createQueryService } from './query-service.ts'
import type { Question } from './query-service.ts'
import type { ThreadData } from './worker-client.ts'

const { data, stop } = workerData as ThreadData
const flag = new Int32Array(stop)
const service = createQueryService(data, () => Atomics.load(flag, 0) !== 0)

parentPort?.on('message', (question: Question) => {
  void service.ask(question).then(outcome => parentPort?.postMessage(outcome, []))
})
