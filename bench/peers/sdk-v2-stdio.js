import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { buildServer } from './sdk-v2-server.js'

serveStdio(buildServer)
