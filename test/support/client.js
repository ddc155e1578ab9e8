// A client that starts the command, speaks to it once and then waits to be killed.
import { spawn } from 'node:child_process'

const server = spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] })
server.stdout.once('data', () => process.stdout.write('answered\n'))
server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
