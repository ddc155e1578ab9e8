import { fault } from '@causeway/engine'
import type { RpcError } from '@causeway/engine'
import { splitWords } from '@causeway/engine/internal'
import { quote } from '../../support/quote.ts'

/** A command line as words, without a shell; one that cannot be split is refused. */
export function splitCommand(command: string): readonly string[] {
  const words = splitWords(command)
  if (typeof words !== 'string') return words
  throw refused(command, `Parameter 'command' ${words}, got ${quote(command)}.`)
}

// What is quoted is no operator.
const QUOTED = /'[^']*'|"(?:[^"\\]|\\[^])*"|\\["\\]/g
const OPERATOR = /(?:^|\s)(\|\|?|&&?|;|&?\d*(?:>>?|<{1,3})(?:&\d)?)(?=$|\s)|(?:^|\s)(\d*[<>]|&>)\S|(;)(?=$|\s)/
const ASSIGNMENT = /^\s*([A-Za-z_]\w*)=/

/** What only a shell would understand; `hasShell` says whether one may be run. */
export function refuseShellSyntax(command: string, hasShell: boolean): void {
  const bare = command.replaceAll(QUOTED, whole => '_'.repeat(whole.length))
  const variable = ASSIGNMENT.exec(bare)?.[1]
  if (variable !== undefined)
    throw refused(
      command,
      `There is no shell that would set ${variable}. Pass it as the argument env, such as {"${variable}": "…"}, and begin the command with the program.`,
    )
  const found = OPERATOR.exec(bare)
  const operator = found?.[1] ?? found?.[2] ?? found?.[3]
  if (operator === undefined) return
  const shell = hasShell ? ` Or run sh -c "…", which is allowed here.` : ''
  const literal = `Quote it, as in '${operator}', if it is meant as an argument.`
  throw refused(
    command,
    `There is no shell that would understand ${operator}. ${insteadOf(operator)}${shell} ${literal}`,
  )
}

function insteadOf(operator: string): string {
  if (operator === '|') return 'Run the first program alone: its output is returned.'
  if (operator === '&') return 'start_command runs a program in the background.'
  if (operator.includes('<')) return 'Name the file as an argument, if the program reads files.'
  if (operator.includes('>')) return 'The output is returned, stderr too; write_file puts text into a file.'
  return 'Run one program per call.'
}

const refused = (command: string, words: string): RpcError =>
  fault('invalid-arguments', words, { argument: 'command', sent: command.slice(0, 100) })
