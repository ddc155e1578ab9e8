import type { Pack } from '@causeway/engine'
import { addNumbers, multiplyNumbers } from './numbers.ts'
import { generateSecret } from './secret.ts'
import { systemEcho, systemPing } from './system.ts'

/** Arithmetic, a ping, an echo and secrets: enough to see that a connection works. */
export const basics = ({ version }: { version: string }): Pack => ({
  name: 'basics',
  features: [addNumbers, multiplyNumbers, systemPing(version), systemEcho, generateSecret],
})
