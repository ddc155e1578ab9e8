import { openSync, writeSync } from 'node:fs'
import {
  audit,
  concurrency,
  createServer,
  didYouMean,
  jsonLog,
  maskResults,
  rateLimit,
  resultLimit,
  timeout,
} from '@causeway/engine'
import type { AuditEntry, AuditOptions, Feature, Log, Pack, Policy, Server } from '@causeway/engine'
import type { Config } from './config.ts'
import { packs } from './packs.ts'
import type { PackOptions } from './packs.ts'
import { plainLog } from './plain-log.ts'
import { addOrSkip, toolsDir } from './tools-dir.ts'
import { UsageError, sentence } from './usage.ts'
import { VERSION } from './version.ts'

const WAITING = 10_000

/** A server as the configuration has it: packs mounted, policies in their order. */
export async function assemble(config: Config): Promise<Server> {
  const { preset } = config
  const log = logOf(config)
  const identity = preset.identity ?? { name: 'causeway', version: VERSION, title: 'Causeway' }
  const server = createServer({
    ...identity,
    ...preset.server,
    dialect: preset.dialect,
    log,
    declare: ['tools'],
  })
  server.use(...policies(config, log, name => server.inputSchemaOf(name)))
  const options = { ...config.options, server: identity, resultBytes: config.maxResponse, log }
  const mounted = await Promise.all(config.packs.map(name => make(name, options)))
  const found = await Promise.all(config.toolsDirs.map(folder => toolsDir(folder, log)))
  checkTools(config, [...mounted.flatMap(pack => pack.features), ...found.flat()])
  for (const pack of mounted) server.mount({ ...pack, features: pack.features.filter(f => isWanted(f, config)) })
  // Packs leave out what writes by themselves; of others we know only what they say.
  const mayStay = (f: Feature): boolean => !config.options.readOnly || f.kind !== 'tool' || f.readOnly === true
  for (const feature of found.flat()) if (isWanted(feature, config) && mayStay(feature)) addOrSkip(server, feature, log)
  return server
}

/** The log as the preset writes it. */
export const logOf = ({ preset, logLevel }: Config): Log => (preset.log === 'plain' ? plainLog : jsonLog)(logLevel)

/** Audit sees what the limits refuse; the limits stand before the clock; the size is judged last. */
function policies(config: Config, log: Log, schemaOf: NonNullable<AuditOptions['schemaOf']>): Policy[] {
  const { preset, audit: file, rateLimit: rate, maxInflight, timeoutMs, maxResponse } = config
  return [
    ...(file === undefined ? [] : [audit(auditWriter(file, log), { schemaOf })]),
    ...(rate ? [rateLimit({ ...rate, ...(preset.countEverything && { methods: 'all' }) })] : []),
    concurrency({ running: maxInflight, waiting: WAITING }),
    ...(timeoutMs === undefined ? [] : [timeout(timeoutMs)]),
    ...(config.maskResults ? [maskResults()] : []),
    resultLimit(maxResponse),
  ]
}

/** To a file at once, so that nothing is lost however the process ends; to stderr as fast as somebody reads it. */
function auditWriter(file: string, log: Log): (entry: AuditEntry) => void {
  if (file === 'stderr') return entry => void process.stderr.write(`${JSON.stringify(entry)}\n`)
  const descriptor = openAudit(file)
  return entry => {
    try {
      writeSync(descriptor, `${JSON.stringify(entry)}\n`)
    } catch (error) {
      // The call is done by now, and its answer must not say otherwise.
      log('error', 'an audit entry could not be written', { file, entry, error })
    }
  }
}

function openAudit(file: string): number {
  try {
    return openSync(file, 'a', 0o600)
  } catch (error) {
    throw new UsageError(
      `--audit ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      5,
    )
  }
}

function make(name: string, options: PackOptions): Promise<Pack> {
  const pack = packs[name]
  if (!pack) throw new UsageError(`Unknown pack '${name}'.`)
  return pack(options).catch((error: unknown) => {
    // What a pack refuses is a folder, a pattern or a file that the operator named.
    throw error instanceof Error && !(error instanceof TypeError) ? new UsageError(error.message) : error
  })
}

/** What is excluded stays out, whatever is included. */
function isWanted(feature: Feature, { tools, excludeTools }: Config): boolean {
  if (feature.kind !== 'tool') return true
  return !excludeTools.includes(feature.name) && (tools?.includes(feature.name) ?? true)
}

function checkTools({ tools = [], excludeTools }: Config, features: readonly Feature[]): void {
  const known = features.flatMap(f => (f.kind === 'tool' ? [f.name] : []))
  const unknown = [...tools, ...excludeTools].find(name => !known.includes(name))
  if (unknown === undefined) return
  throw new UsageError(
    sentence(`Unknown tool '${unknown}'.`, didYouMean(unknown, known), `Tools: ${known.join(', ')}.`),
  )
}
