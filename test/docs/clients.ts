import { clientPrograms, sseSnippet, stdioSnippet } from '@causeway/engine/client-programs'
import type { ClientProgram } from '@causeway/engine/client-programs'

const NPX = ['-y', 'causeway-mcp']

const cell = (text: string): string => `\`${text.replaceAll('\n', ' ')}\``

function row(program: ClientProgram): string {
  const { name, where, addCommand, workspace = '/path/to/project' } = program
  // A command of the shell is run in the project.
  const args = addCommand === undefined ? [...NPX, '--root', workspace] : NPX
  const text = stdioSnippet(program, 'causeway', { command: 'npx', args }, 0)
  // TOML needs its lines.
  const shown = /\.(?:toml|yaml)$/.test(where) ? text.split('\n').map(cell).join('<br>') : cell(text)
  return `| ${name} | ${addCommand === undefined ? cell(where) : 'shell'} | ${shown} |`
}

/** What to paste into each client. */
export const clientTable = (): string =>
  [
    '| client | where | what |',
    '|---|---|---|',
    ...clientPrograms.map(row),
    '| Any client, over HTTP | after `npx causeway-mcp serve --http` | `http://127.0.0.1:5000/mcp` |',
    `| Older clients, over HTTP+SSE | the client's configuration file | ${cell(sseSnippet('causeway', { url: 'https://your-server.com/sse' }, 0))} |`,
  ].join('\n')
