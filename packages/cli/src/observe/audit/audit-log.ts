import { hostname } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import type { Log, Server } from '@causeway/engine'
import { visibleJson } from '@causeway/engine/internal'
import { audit, auditRefusals } from '@causeway/engine/policies'
import type { CallObserver, RefusalAudit } from '@causeway/engine/policies'
import type { TriedLogin } from '@causeway/gateway'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { complain } from '../../terminal/print.ts'
import { anchorAt } from './anchor.ts'
import { AuditFile } from './audit-file.ts'

/** The audit of a server that is being served. */
export interface AuditLog extends Pick<RefusalAudit, 'onRefused'> {
  /** Writes calls. */
  readonly observer: CallObserver
  /** Writes logins to servers behind this one. */
  readonly onLogin: (login: TriedLogin) => void
  /** Write what is left, and that nothing more comes. */
  close(): Promise<void>
}

type AuditConfig = Pick<Config, 'audit' | 'auditSize' | 'auditAge' | 'anchor' | 'worker' | 'auditSlot'>

/** The audit as configured; undefined without one. */
export function auditLogOf(config: AuditConfig, server: () => Server, log: Log): AuditLog | undefined {
  const { audit: named, anchor, auditSize, auditAge } = config
  const needsFile = [
    ['anchor', anchor],
    ['audit-size', auditSize],
    ['audit-age', auditAge],
  ].find(([, value]) => value !== undefined && (named === undefined || named === 'stderr'))
  if (needsFile) throw new UsageError(`--${needsFile[0]} needs an audit in a file: add --audit FILE.`)
  if (named === undefined) return undefined
  const sink = named === 'stderr' ? STDERR : fileSink(named, config, log)
  const refusals = auditRefusals(sink.write)
  return {
    observer: audit(sink.write, { schemaOf: name => server().inputSchemaOf(name) }),
    onRefused: refusals.onRefused,
    onLogin: ({ principal, server: name, outcome }) =>
      sink.write({ time: new Date().toISOString(), method: 'login', principal, server: name, outcome }),
    async close() {
      refusals.close()
      await sink.close()
    },
  }
}

interface Sink {
  readonly write: (entry: object) => void
  close(): Promise<void>
}

/** As fast as it is read; what a reader leaves out would break a chain, so there is none. */
const STDERR: Sink = { write: entry => complain(visibleJson(entry)), close: async () => {} }

function fileSink(named: string, { auditSize, auditAge, anchor, worker, auditSlot }: AuditConfig, log: Log): Sink {
  const node = worker === undefined ? hostname() : `${hostname()}-${worker}`
  const path = auditSlot === undefined ? named : auditFileOfSlot(named, auditSlot)
  const file = new AuditFile(path, { log, node, maxBytes: auditSize, maxAgeMs: auditAge })
  const anchored = anchor === undefined ? undefined : anchorAt(anchor, { head: () => file.head, log })
  return {
    write: entry => file.write(entry),
    async close() {
      file.close()
      await anchored?.close()
    },
  }
}

/** `audit.jsonl` → `audit.2.jsonl`: each worker has a file, so that the order of its lines can be verified. */
export function auditFileOfSlot(file: string, slot: number): string {
  const extension = extname(file)
  return join(dirname(file), `${basename(file, extension)}.${slot}${extension}`)
}
