import type { Pack } from '@causeway/engine'
import { addNumbers, multiplyNumbers } from './numbers.ts'
import { generateSecret } from './secret.ts'
import { binaryStreamsDuplex, binaryStreamsIn, binaryStreamsOut } from './streams.ts'
import { systemEcho, systemPing } from './system.ts'
import { withKeywords } from '../support/keywords.ts'
import { KEYWORDS } from './keywords.ts'

/** Arithmetic, a ping, an echo, secrets, and streams of bytes over WebSocket: enough to see that a connection works. */
export const basics = ({ version }: { version: string }): Pack => ({
  name: 'basics',
  features: withKeywords(
    [
      addNumbers,
      multiplyNumbers,
      systemPing(version),
      systemEcho,
      generateSecret,
      binaryStreamsIn,
      binaryStreamsOut,
      binaryStreamsDuplex,
    ],
    KEYWORDS,
  ),
})
