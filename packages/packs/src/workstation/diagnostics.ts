import { arch, availableParallelism, platform, release, type } from 'node:os'
import { tool } from '@causeway/engine'
import { isSecretVariable, maskSecrets } from '@causeway/engine/internal'
import type { Policy, Tool } from '@causeway/engine'
import { clip } from '../support/processes/spool.ts'
import type { Workspace } from './workspace.ts'

const FACTS = { readOnly: true, openWorld: false } as const
const nothing = { type: 'object', properties: {}, additionalProperties: false } as const
const MASK = '***'
const LONGEST_BYTES = 4096

const systemName = (): string => `${type()} ${release()} (${platform()} ${arch()})`

/** Facts of the machine. */
export const getDiagnostics: Tool = tool(
  {
    ...FACTS,
    name: 'get_diagnostics',
    title: 'Diagnostics',
    description: 'Reports facts about the machine: operating system, processors, working directory, runtime version.',
    aliases: ['ci/get_diagnostics', 'ci/diagnostics'],
    input: nothing,
  },
  () =>
    [
      `OS: ${systemName()}`,
      `64-bit: ${String(arch().endsWith('64') || arch() === 's390x')}`,
      `Processor Count: ${availableParallelism()}`,
      `Working Directory: ${process.cwd()}`,
      `Runtime Version: Node.js ${process.version}`,
    ].join('\n'),
)

/** Who this server is. */
export interface About {
  readonly name: string
  readonly version: string
}

const transport: Policy = (call, next) => next({ ...call, meta: { ...call.meta, transport: call.link.transport } })

/** Facts of the server. */
export const getServerInfo = ({ jail }: Workspace, about: About): Tool =>
  tool(
    {
      ...FACTS,
      name: 'debug_get_server_info',
      title: 'Server info',
      description:
        'Reports facts about this server, to find out why it behaves as it does: name, version, transport, uptime.',
      aliases: ['debug/server_info', 'debug/get_server_info'],
      use: [transport],
      input: nothing,
      output: {
        type: 'object',
        properties: {
          serverName: { type: 'string' },
          version: { type: 'string' },
          transport: { type: 'string' },
          runtimeVersion: { type: 'string' },
          operatingSystem: { type: 'string' },
          processorCount: { type: 'integer' },
          workingDirectory: { type: 'string' },
          roots: { type: 'array', items: { type: 'string' } },
          uptime: { type: 'string', description: 'hours:minutes:seconds' },
          processId: { type: 'integer' },
        },
        required: ['serverName', 'version', 'transport', 'runtimeVersion', 'operatingSystem', 'uptime', 'processId'],
      },
    },
    (_, { meta }) => ({
      serverName: about.name,
      version: about.version,
      transport: String(meta.transport),
      runtimeVersion: `Node.js ${process.version}`,
      operatingSystem: systemName(),
      processorCount: availableParallelism(),
      workingDirectory: process.cwd(),
      roots: [...jail.roots],
      uptime: clock(process.uptime()),
      processId: process.pid,
    }),
  )

const clock = (seconds: number): string =>
  [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(n => String(Math.floor(n)).padStart(2, '0')).join(':')

/** The environment, without its secrets. */
export const printEnv: Tool = tool(
  {
    ...FACTS,
    name: 'debug_print_env',
    title: 'Environment',
    description: 'Lists the environment variables of this server; values that look secret are masked.',
    aliases: ['debug/print_env', 'debug/env'],
    input: nothing,
    output: {
      type: 'object',
      properties: {
        variables: { type: 'object', additionalProperties: { type: 'string' } },
        totalCount: { type: 'integer' },
        maskedCount: { type: 'integer' },
      },
      required: ['variables', 'totalCount', 'maskedCount'],
    },
  },
  () => {
    const names = Object.keys(process.env).toSorted()
    const shown = names.map(name => [name, masked(name, process.env[name] ?? '')] as const)
    const maskedCount = shown.filter(([name, value]) => value !== process.env[name]).length
    const variables = Object.fromEntries(shown.map(([name, value]) => [name, clip(value, LONGEST_BYTES)]))
    return { variables, totalCount: names.length, maskedCount }
  },
)

const masked = (name: string, value: string): string => (isSecretVariable(name) ? MASK : maskSecrets(value, MASK))
