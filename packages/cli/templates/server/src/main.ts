// Serves on standard input and output, or over HTTP with --http.
import { readFileSync } from 'node:fs'
import { serveStdio } from '@causeway/engine'
import { bearerTokens, serveHttp } from '@causeway/engine/http'
import { server } from './server.ts'

const { HOST: host = '127.0.0.1', PORT: port = '3000', TOKEN_FILE: tokenFile } = process.env

if (process.argv.includes('--http')) {
  const service = await serveHttp(server, {
    host,
    port: Number(port),
    // An address that other machines can reach needs tokens: npx causeway-mcp token NAME --token-file tokens
    ...(tokenFile !== undefined && { authenticator: bearerTokens(readFileSync(tokenFile, 'utf8')) }),
  })
  console.error(`Serving ${service.url}/mcp`)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void service.close())
} else {
  await serveStdio(server)
}
