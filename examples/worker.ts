// A module of Cloudflare Workers; `bun worker.ts` and `deno serve worker.ts` run it too. Nothing of it needs Node.
import { createServer, fetchHandler, tool } from '@causeway/engine/fetch'

const dice = tool(
  {
    name: 'roll_dice',
    description: 'Rolls dice and returns what each shows',
    readOnly: true,
    input: {
      type: 'object',
      properties: { dice: { type: 'integer', minimum: 1, maximum: 100, default: 1 } },
      additionalProperties: false,
    },
  },
  ({ dice }) => Array.from(crypto.getRandomValues(new Uint32Array(dice)), n => 1 + (n % 6)).join(' '),
)

const server = createServer({ name: 'dice', version: '1.0.0' }).add(dice)

const mcp = fetchHandler(server, { allowedHosts: ['dice.example.workers.dev'] })

const worker: { fetch(request: Request): Promise<Response> } = {
  fetch: request => mcp(request, { address: request.headers.get('cf-connecting-ip') ?? undefined }),
}
// oxlint-disable-next-line import/no-default-export -- runtimes ask for it
export default worker
