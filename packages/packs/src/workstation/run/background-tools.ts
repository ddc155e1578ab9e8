import { RESULT_META, text as asText, tool } from '@causeway/engine'
import { dataFrom } from '@causeway/engine/policies'
import type { Context, Tool } from '@causeway/engine'
import { quote } from '../../support/quote.ts'
import { clip } from '../../support/processes/spool.ts'
import { allowList } from './allow-list.ts'
import { BackgroundCommands, NOT_LISTED } from './background.ts'
import type { BackgroundCommand } from './background.ts'
import { allowedWords } from './command.ts'
import { env } from './command-environment.ts'
import { plain } from '../build/reports/excerpt.ts'
import { clientKey } from '../../support/client-key.ts'
import { orRoot } from '../workspace.ts'
import type { Workspace } from '../workspace.ts'

const LIFE_S = 3600
const LONGEST_LIFE_S = 24 * 3600
const PAGE_BYTES = 16 * 1024
const LONGEST_WAIT_S = 60
const TAIL_BYTES = 2048
const id = { type: 'string', description: 'Its id, as start_command named it' } as const

/** The tools for commands that run on while other calls are made. */
export function backgroundTools(workspace: Workspace, patterns: readonly string[]): Tool[] {
  const commands = new BackgroundCommands(workspace)
  return [
    startCommand(commands, patterns),
    commandOutput(workspace, commands),
    stopCommand(commands),
    listCommands(commands),
  ]
}

const startCommand = (commands: BackgroundCommands, patterns: readonly string[]): Tool => {
  const isAllowed = allowList(patterns)
  return tool(
    {
      name: 'start_command',
      task: 'optional',
      title: 'Start command',
      description:
        'Starts a program in the background, such as a development server; it ends with the session. The same commands are allowed as for run_command.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: true,
      aliases: ['ci/start_command'],
      use: [dataFrom('command')],
      input: {
        type: 'object',
        properties: {
          command: { type: 'string', description: 'The program and its arguments', 'x-audit': 'head' },
          workingDirectory: { type: 'string', description: 'Where to run it; default: the first root' },
          env,
          timeout: {
            type: 'integer',
            minimum: 1,
            maximum: LONGEST_LIFE_S,
            default: LIFE_S,
            description: 'Seconds it may live',
          },
        },
        required: ['command'],
        additionalProperties: false,
      },
    },
    async ({ command: line, workingDirectory, env: variables = {}, timeout }, ctx) => {
      const words = allowedWords({ command: line, variables, patterns }, isAllowed)
      const command = await commands.start(ctx, {
        words,
        line,
        directory: orRoot(workingDirectory),
        env: variables,
        lifeMs: timeout * 1000,
      })
      if (ctx.isTask) await untilOver(command, { lifeMs: timeout * 1000, ctx })
      return `${about(command)}\n${tailOf(command)}`.trimEnd()
    },
  )
}

/** A client that asked for a task is told when the command is over; cancelled with it, the command ends. */
async function untilOver(
  command: BackgroundCommand,
  { lifeMs, ctx }: { readonly lifeMs: number; readonly ctx: Context },
): Promise<void> {
  ctx.allowTime(lifeMs)
  ctx.progress(0, about(command))
  ctx.signal.addEventListener('abort', command.stop, { once: true })
  if (ctx.signal.aborted) command.stop()
  await command.over
  ctx.signal.removeEventListener('abort', command.stop)
}

const commandOutput = ({ textBytes }: Workspace, commands: BackgroundCommands): Tool =>
  tool(
    {
      name: 'command_output',
      title: 'Command output',
      description: 'Reads what a command in the background wrote, from an offset on, and says whether it still runs.',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      use: [dataFrom('command')],
      input: {
        type: 'object',
        properties: {
          id,
          offset: { type: 'integer', default: 0, description: 'First byte; if negative, counted from the end' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 1_000_000,
            default: PAGE_BYTES,
            description: 'Most bytes to return',
          },
          wait: {
            type: 'integer',
            minimum: 0,
            maximum: LONGEST_WAIT_S,
            default: 0,
            description: 'Seconds to wait for output beyond offset, or the end',
          },
        },
        required: ['id'],
        additionalProperties: false,
      },
    },
    async ({ id: wanted, offset, limit, wait }, ctx) => {
      const command = commands.find(ctx, wanted)
      if (wait > 0 && offset >= 0) await moreOutput(command, { offset, ms: wait * 1000 }, ctx)
      const { total } = command.output
      const { text, from, next } = command.output.read(offset, limit, command.end !== undefined)
      const lost = offset >= 0 && from > offset ? ` Bytes ${offset} to ${from} are no longer kept.` : ''
      const head = `${about(command)} Bytes ${from} to ${next} of ${total}, next offset ${next}.${lost}`
      const content = [asText(clip(`${head}\n${plain(text)}`.trimEnd(), textBytes))]
      const page = { offset: from, limit, total, ...(next < total && { next }) }
      return { content, _meta: { [RESULT_META.page]: page } }
    },
  )

/** Wait until it has written beyond an offset or ended, the time is up, or the call is cancelled. */
function moreOutput(command: BackgroundCommand, { offset, ms }: Waiting, { signal }: Context): Promise<void> {
  const { more, output } = command
  const isDone = (): boolean => command.end !== undefined || output.total > offset || signal.aborted
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(clock)
      more.delete(look)
      signal.removeEventListener('abort', look)
      resolve()
    }
    const look = (): void => {
      if (isDone()) done()
    }
    const clock = setTimeout(done, ms)
    more.add(look)
    signal.addEventListener('abort', look, { once: true })
    look()
  })
}

interface Waiting {
  readonly offset: number
  readonly ms: number
}

const stopCommand = (commands: BackgroundCommands): Tool =>
  tool(
    {
      name: 'stop_command',
      title: 'Stop command',
      description: 'Ends a command in the background, with everything it started.',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      input: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
    },
    async ({ id: wanted }, ctx) => {
      const command = commands.find(ctx, wanted)
      command.stop()
      await command.over
      return `${about(command)}\n${tailOf(command)}`.trimEnd()
    },
  )

const listCommands = (commands: BackgroundCommands): Tool =>
  tool(
    {
      name: 'list_commands',
      title: 'List commands',
      description: 'Lists the commands in the background of this session, and how they ended.',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      input: { type: 'object', properties: {}, additionalProperties: false },
    },
    (_, ctx) => {
      if (clientKey(ctx) === undefined) return NOT_LISTED
      return commands.of(ctx).map(about).join('\n') || 'There are no commands in the background'
    },
  )

function about({ id: name, line, output, startedAt, end, endedAt }: BackgroundCommand): string {
  const seconds = Math.round(((endedAt ?? performance.now()) - startedAt) / 1000)
  const how = end === undefined ? `runs for ${seconds} s` : `${end} after ${seconds} s`
  return `${name} ${quote(line)} ${how}, ${output.total} bytes of output.`
}

const tailOf = ({ output, end }: BackgroundCommand): string =>
  plain(output.read(-TAIL_BYTES, TAIL_BYTES, end !== undefined).text)
