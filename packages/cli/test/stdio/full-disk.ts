import { jsonLog } from '@causeway/engine'
import type { AuditEntry } from '@causeway/engine/policies'
import { auditFile } from '../../src/observe/audit-file.ts'

/** Writes more entries than there is room for; run with a limit on the size of files. */
const [file = ''] = process.argv.slice(2)
const write = auditFile(file, jsonLog('error'))
for (let i = 0; i < 100; i++) write({ request: i, tool: 'x'.repeat(150) } as unknown as AuditEntry)
