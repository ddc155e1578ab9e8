import { isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { readConfig } from '../config/config.ts'
import { checkClients } from '../doctor/check-clients.ts'
import {
  checkAudit,
  checkData,
  checkGit,
  checkKeyFile,
  checkNode,
  checkPort,
  checkRoots,
  checkTokens,
} from '../doctor/check-machine.ts'
import { checkIssuers } from '../doctor/check-issuers.ts'
import { checkServers, checkStore } from '../doctor/check-services.ts'
import { wordsOf } from '../doctor/finding.ts'
import type { Finding } from '../doctor/finding.ts'
import type { Styled } from '../terminal/colours.ts'
import { counted, printJson, printStyled } from '../terminal/print.ts'

/** Check everything that a server with these flags would need, and the clients that start it. */
export async function doctor(args: Args): Promise<number> {
  const config = readConfig(args)
  const machine = [
    checkNode(),
    ...checkRoots(config),
    ...checkTokens(config),
    ...checkKeyFile(config),
    ...checkAudit(config),
    checkData(config),
  ]
  const asked = await Promise.all([
    checkGit().then(one => [one]),
    checkPort(config),
    checkStore(config),
    checkIssuers(config),
    checkServers(config),
    checkClients(),
  ])
  const found = [...machine, ...asked.flat()]
  const findings = isGiven(args, 'fix') ? found.map(repaired) : found
  if (isGiven(args, 'json'))
    await printJson({ findings: findings.map(({ check, status, message, fix }) => ({ check, status, message, fix })) })
  else await printStyled(shown(findings, isGiven(args, 'quiet')))
  return findings.some(({ status }) => status === 'fail') ? 1 : 0
}

function repaired(finding: Finding): Finding {
  const { check, message, repair } = finding
  if (!repair) return finding
  try {
    repair()
    return { check, status: 'ok', message: `${message}: fixed` }
  } catch (error) {
    return { ...finding, message: `${message}; it could not be fixed: ${wordsOf(error)}` }
  }
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** A line per finding, and what to do below it; quietly only what is not well. */
function shown(findings: readonly Finding[], isQuiet: boolean): readonly (readonly Styled[])[] {
  const count = (wanted: string): number => findings.filter(({ status }) => status === wanted).length
  return [
    ...findings
      .filter(({ status }) => !isQuiet || status !== 'ok')
      .flatMap(({ check, status, message, fix }): Styled[][] => {
        const line: Styled[] = [{ colour: COLOURS[status], text: status.padEnd(4) }, `  ${check.padEnd(8)}  ${message}`]
        return fix === undefined ? [line] : [line, [`                → ${fix}`]]
      }),
    [''],
    [`${counted(count('fail'), 'failure')}, ${counted(count('warn'), 'warning')}.`],
  ]
}
