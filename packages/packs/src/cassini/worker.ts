import { parentPort, workerData } from 'node:worker_threads'
import { createDesk } from './desk.ts'
import type { Question } from './desk.ts'
import type { ThreadData } from './lane.ts'

const { data, stop } = workerData as ThreadData
const flag = new Int32Array(stop)
const desk = createDesk(data, () => Atomics.load(flag, 0) !== 0)

parentPort?.on('message', (question: Question) => {
  void desk.ask(question).then(outcome => parentPort?.postMessage(outcome, []))
})
