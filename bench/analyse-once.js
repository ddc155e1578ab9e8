// One call of one tool of the toolkit in a process of its own, timed from the call to the answer.
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'

const [tool, json] = process.argv.slice(2)
const args = JSON.parse(json)
const client = connect(createServer({ name: 'bench', version: '1' }).add(toolkit({ roots: [args.project_path] })))
await client.request('tools/list')
const cpu = process.cpuUsage()
const began = performance.now()
const result = await client.call(tool, args)
const ms = performance.now() - began
const { user, system } = process.cpuUsage(cpu)
process.stdout.write(
  JSON.stringify({
    ms,
    cpuMs: (user + system) / 1000,
    memory: process.resourceUsage().maxRSS / 1024,
    result: { summary: result.summary },
  }),
)
process.exit(0)
