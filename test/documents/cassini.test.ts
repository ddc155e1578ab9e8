import { writeFileSync } from 'node:fs'
import { folder, planned } from '../../packages/packs/test/cassini/fixture.ts'
import { databases } from '../../packages/packs/src/cassini/plan/files.ts'
import { BINARY } from '../support/spawned.ts'
import { cassini } from './cassini.ts'
import { playDocument } from './play.ts'

const data = await planned()
const damaged = folder()
writeFileSync(databases(damaged).imported, 'no database')

playDocument({
  ...cassini,
  command: isBroken => [BINARY, 'serve', '--preset', 'cassini', '--data', isBroken ? damaged : data],
})
