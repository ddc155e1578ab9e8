import { parseArgs } from 'node:util'
import { createServer, jsonLog, prompt, tool } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import { serveTasks } from '@causeway/engine/policies'
import { asks } from './asks.js'
import { long } from './long.js'
import { prompts, resources } from './readings.js'
import { skills } from '@causeway/packs/skills'
import { fileURLToPath } from 'node:url'
import { tools } from './tools.js'

// The server of the official conformance suite: every feature, with the answers the suite expects.
const server = createServer({ name: 'causeway-everything', version: '1.0.0', log: jsonLog('warn') })

const toggled = tool({ name: 'dynamic_tool', description: 'Comes and goes' }, () => 'Here I am.')
const toggledPrompt = prompt({ name: 'dynamic_prompt', description: 'Comes and goes' }, () => 'Here I am.')
const toggle = feature => {
  if (!server.remove(feature.kind, feature.name)) server.add(feature)
  return 'Toggled.'
}

server.use(serveTasks(server))
server.add(
  ...tools,
  ...asks,
  ...long,
  tool({ name: 'test_trigger_tool_change', description: 'Changes the list of tools' }, () => toggle(toggled)),
  tool({ name: 'test_trigger_prompt_change', description: 'Changes the list of prompts' }, () => toggle(toggledPrompt)),
  ...resources,
  ...prompts,
)

server.mount(await skills({ folders: [fileURLToPath(new URL('skills/', import.meta.url))], watch: false }))

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } })
const service = await serveHttp(server, { port: Number(values.port) })
process.stderr.write(`everything: ${service.url}/mcp\n`)
process.once('SIGTERM', () => void service.close().then(() => process.exit(0)))
