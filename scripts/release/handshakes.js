// Starts a server and lists its tools, once per era of the protocol.
import { RemoteServer, childTransport } from '../../packages/engine/dist/client.js'
import { versions } from '../../packages/engine/dist/index.js'

/** Speak to a command in the newest revision of each era; a line for each, or an error. */
export async function handshakes(command, args, cwd) {
  const lines = []
  for (const version of [versions[0], versions[1]]) {
    const target = { open: () => childTransport({ command, args: [...args, '--log-level', 'error'], cwd, env: {} }) }
    const server = await RemoteServer.connect(target, { client: { name: 'release-check', version: '1' }, version })
    try {
      const tools = await server.list('tools/list')
      if (tools.length === 0) throw new Error(`No tools in ${version}`)
      lines.push(`${server.server?.name} ${server.server?.version}: ${tools.length} tools in ${version}`)
    } finally {
      await server.close()
    }
  }
  return lines
}
