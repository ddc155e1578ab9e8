import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Answer } from './clients.ts'

type Asked = Record<string, unknown>

/** What both generations of the official client have in common. */
interface Official {
  getServerCapabilities(): object | undefined
  getServerVersion(): object | undefined
  getInstructions(): string | undefined
  listTools(params: Asked): Promise<Answer>
  callTool(params: Asked): Promise<Answer>
  readResource(params: Asked): Promise<Answer>
  getPrompt(params: Asked): Promise<Answer>
  request(request: { method: string; params: Asked }, schema: typeof ResultSchema): Promise<Answer>
}

/** What an official client knows of a server, and a way to ask it anything. */
export interface Asking {
  /** What it was told when it connected. */
  readonly about: Answer
  /** Any request: through the client's own method where it has one. */
  ask(method: string, params?: Asked): Promise<Answer>
}

/** The same for either generation; the first does not keep the version it agreed on. */
export const asking = (client: Official, protocolVersion: string | undefined): Asking => ({
  about: {
    protocolVersion,
    capabilities: client.getServerCapabilities(),
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
  },
  ask(method, params = {}) {
    switch (method) {
      case 'tools/list':
        return client.listTools(params)
      case 'tools/call':
        return client.callTool(params)
      case 'resources/read':
        return client.readResource(params)
      case 'prompts/get':
        return client.getPrompt(params)
      default:
        return client.request({ method, params }, ResultSchema)
    }
  },
})
