import type { CredentialStore } from '@causeway/engine/client'
import { isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { readConfig } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'
import { RULES, levelOf } from '@causeway/engine/internal'
import type { LintFinding } from '@causeway/engine/internal'
import { loginOf } from '../inspect/login.ts'
import { probe } from '../inspect/probe.ts'
import type { Inspection } from '../inspect/probe.ts'
import { sarifOf } from '../inspect/sarif.ts'
import { withCredentials } from '../login/open-credentials.ts'
import { LOGIN_REQUIRED } from '../remote/connect.ts'
import { commandTarget, urlTarget } from '../remote/target.ts'
import type { RemoteTarget } from '../remote/target.ts'
import type { Styled } from '../terminal/colours.ts'
import { counted, print, printJson, printStyled, table } from '../terminal/print.ts'

/** Show what a server speaks and offers, and what clients would refuse. */
export async function inspect(args: Args): Promise<number> {
  return withCredentials(readConfig(args), credentials => inspectTarget(args, targetOf(args, credentials)))
}

async function inspectTarget(args: Args, remote: RemoteTarget): Promise<number> {
  const found = await probe(remote).catch(async (error: unknown) => {
    if (!(error instanceof UsageError) || error.exit !== LOGIN_REQUIRED || !remote.url) throw error
    return explainLogin(args, remote.url, error)
  })
  if (typeof found === 'number') return found
  if (isGiven(args, 'sarif')) await printJson(sarifOf(found.target, found.findings))
  else if (isGiven(args, 'json')) await printJson({ ...found, findings: found.findings.map(withLevel) })
  else {
    if (!isGiven(args, 'quiet')) await print(inWords(found))
    await printStyled([...found.findings.flatMap(lines), [summary(found.findings)]])
  }
  return found.findings.some(finding => levelOf(finding) !== 'note') ? 1 : 0
}

const withLevel = (finding: LintFinding): object => ({ level: levelOf(finding), ...finding })

function targetOf(args: Args, credentials: CredentialStore): RemoteTarget {
  const [first, ...rest] = args.positionals
  if (first === undefined) throw new UsageError(`Name a URL or a command. Usage: ${args.command.usage}`)
  if (!/^[a-z][\w+.-]*:\/\//i.test(first)) return commandTarget(args.positionals, args)
  if (rest.length > 0) throw new UsageError(`Name one URL. Usage: ${args.command.usage}`)
  return urlTarget(first, args, credentials)
}

async function explainLogin(args: Args, url: URL, error: UsageError): Promise<number> {
  const login = await loginOf(url)
  if (!login) throw error
  if (isGiven(args, 'json')) await printJson({ target: `${url.origin}${url.pathname}`, login })
  else
    await print(
      table([
        ['login', `${login.scheme}, required`],
        ['scopes', login.scopes.join(', ')],
        ['authorization servers', login.authorizationServers.join(', ')],
        ['metadata', login.metadata ?? 'none'],
      ]),
    )
  throw error
}

function inWords(found: Inspection): string {
  const { server, latency, counts, tokens } = found
  const ms = (value: number): string => `${Math.round(value)} ms`
  const facts: (readonly [string, string])[] = [
    ['server', `${server.name} ${server.version}`.trim()],
    ['revisions', found.revisions.map(({ version, era }) => `${version} (${era})`).join(', ')],
    ['transports', found.transports.join(', ')],
    ['capabilities', found.capabilities.join(', ') || 'none'],
    ['extensions', found.extensions.join(', ') || 'none'],
    ['latency', `connect ${ms(latency.connectMs)}, then ${ms(latency.medianMs)} (worst ${ms(latency.worstMs)})`],
    [
      'offers',
      Object.entries(counts)
        .map(([name, count]) => `${count} ${name}`)
        .join(', '),
    ],
    ['tokens', `tools about ${tokens.tools}, instructions about ${tokens.instructions}`],
  ]
  const costs = found.tools.toSorted((a, b) => b.tokens - a.tokens).slice(0, 10)
  return [
    table(facts),
    '',
    ...(costs.length === 0 ? [] : ['Most expensive tools:', table(costs.map(costRow)), '']),
  ].join('\n')
}

const costRow = ({ name, tokens }: Inspection['tools'][number]): readonly [string, string] => [
  `  ${name}`,
  `${tokens} tokens`,
]

const COLOURS = { error: 'red', warning: 'yellow', note: 'dim' } as const

const lines = (finding: LintFinding): Styled[][] => [
  [
    { colour: COLOURS[levelOf(finding)], text: levelOf(finding).padEnd(7) },
    `  ${finding.rule}  ${finding.subject}: ${finding.message}`,
  ],
  ...(finding.source === undefined ? [] : [[`         see ${finding.source}`]]),
]

function summary(findings: readonly LintFinding[]): string {
  const count = (level: string): number => findings.filter(({ rule }) => RULES[rule].level === level).length
  return `${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}, ${counted(count('note'), 'note')}.`
}
