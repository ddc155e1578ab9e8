import {
  clientPrograms,
  httpEntry,
  httpSnippet,
  installLink,
  sseSnippet,
  stdioEntry,
  stdioSnippet,
} from '@causeway/engine/client-programs'

/** What to paste into a client, and where. */
export interface ClientSnippet {
  readonly client: string
  /** Where it goes: a file, or a shell. */
  readonly where: string
  readonly text: string
  /** Adds the server with one click, where the client has such links. */
  readonly link?: string | undefined
}

/** How this server is reached. */
export interface Reached {
  /** Without a path. */
  readonly url: string
  readonly token: string
  readonly needsToken: boolean
  readonly command: readonly string[]
  /** The virtual server, if one is chosen. */
  readonly virtual?: string
}

const NAME = 'causeway'

/** Where Streamable HTTP is served. */
export const addressOf = ({ url, virtual }: { readonly url: string; readonly virtual?: string | undefined }): string =>
  virtual === undefined ? `${url}/mcp` : `${url}/mcp/${encodeURIComponent(virtual)}`

/** What to paste into each client, with this server's own address and token. */
export function overHttp({ url, token, needsToken, virtual }: Reached): readonly ClientSnippet[] {
  const name = virtual === undefined ? NAME : `${NAME}-${virtual}`
  const headers = needsToken ? { headers: { Authorization: `Bearer ${token === '' ? 'TOKEN' : token}` } } : {}
  return [
    ...clientPrograms.map(program => ({
      client: program.name,
      where: program.isBridged ? `${program.where}, through mcp-remote` : program.where,
      text: httpSnippet(program, name, { url: addressOf({ url, virtual }), ...headers }),
      // A link would show the token.
      link: needsToken
        ? undefined
        : installLink(program, name, httpEntry(program, name, { url: addressOf({ url, virtual }) })),
    })),
    ...(virtual === undefined
      ? [
          {
            client: 'Older clients, over SSE',
            where: 'Their configuration file',
            text: sseSnippet(NAME, { url: `${url}/sse`, ...headers }),
          },
        ]
      : []),
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
        link: installLink(program, NAME, stdioEntry(program, NAME, { command, args })),
      }))
