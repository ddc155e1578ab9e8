import { clientPrograms, httpSnippet, sseSnippet, stdioSnippet } from '@causeway/engine/client-programs'

/** What to paste into a client, and where. */
export interface ClientSnippet {
  readonly client: string
  /** Where it goes: a file, or a shell. */
  readonly where: string
  readonly text: string
}

/** How this server is reached. */
export interface Reached {
  /** Without a path. */
  readonly url: string
  readonly token: string
  readonly needsToken: boolean
  readonly command: readonly string[]
}

const NAME = 'causeway'

/** What to paste into each client, with this server's own address and token. */
export function overHttp({ url, token, needsToken }: Reached): readonly ClientSnippet[] {
  const headers = needsToken ? { headers: { Authorization: `Bearer ${token === '' ? 'TOKEN' : token}` } } : {}
  return [
    ...clientPrograms.map(program => ({
      client: program.name,
      where: program.isBridged ? `${program.where}, through mcp-remote` : program.where,
      text: httpSnippet(program, NAME, { url: `${url}/mcp`, ...headers }),
    })),
    {
      client: 'Older clients, over SSE',
      where: 'Their configuration',
      text: sseSnippet(NAME, { url: `${url}/sse`, ...headers }),
    },
  ]
}

/** For clients that start the server themselves. */
export const overStdio = ({ command: [command, ...args] }: Reached): readonly ClientSnippet[] =>
  command === undefined
    ? []
    : clientPrograms.map(program => ({
        client: program.name,
        where: program.where,
        text: stdioSnippet(program, NAME, { command, args }),
      }))
