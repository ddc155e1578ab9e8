import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes in use once all that is garbage is gone. */
export async function memoryInUse(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    collect()
    await new Promise(resolve => void setImmediate(resolve))
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}
