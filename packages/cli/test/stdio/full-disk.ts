import { jsonLog } from '@causeway/engine'
import { AuditFile } from '../../src/observe/audit/audit-file.ts'

/** Writes more entries than there is room for; run with a limit on the size of files. */
const [file = ''] = process.argv.slice(2)
const audit = new AuditFile(file, { log: jsonLog('error'), node: 'here' })
for (let i = 0; i < 100; i++) audit.write({ time: new Date().toISOString(), request: i, tool: 'x'.repeat(150) })
