import { fault } from '@causeway/engine'
import { splitWords } from '@causeway/engine/internal'
import { quote } from '../../support/quote.ts'

/** A command line as words, without a shell; one that cannot be split is refused. */
export function splitCommand(command: string): readonly string[] {
  const words = splitWords(command)
  if (typeof words !== 'string') return words
  throw fault('invalid-arguments', `Parameter 'command' ${words}, got ${quote(command)}.`, {
    argument: 'command',
    sent: command.slice(0, 100),
  })
}
