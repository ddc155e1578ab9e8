import { RemoteServer, httpTransport } from '@causeway/engine/client'

/** What the weather server at that address says of a city. */
export async function weatherIn(url: string, city: string): Promise<unknown> {
  const server = await RemoteServer.connect(
    { open: () => httpTransport({ url }) },
    {
      client: { name: 'weather-client', version: '1.0.0' },
      // The server may ask in the middle of a call; the answer is the same in every revision.
      answer: ({ method, params }) =>
        method === 'elicitation/create' ? { action: 'accept', content: { unit: 'celsius' } } : { roots: [], params },
      onChange: change => console.error('changed:', change),
    },
  )
  try {
    const tools = await server.list('tools/list')
    console.error(`${tools.length} tools, in revision ${server.version}`)
    const result = await server.callTool('forecast', { city }, { timeoutMs: 10_000, onProgress: p => console.error(p) })
    return result.structuredContent
  } finally {
    await server.close()
  }
}
