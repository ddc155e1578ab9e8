// The least that a hop can cost: bare node:http in front of a server's pipes, with nothing checked, limited or counted.
//   node bench/floor-hop.js COMMAND ARGS…
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'

const [command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
const waiting = new Map()
let last = 0
let rest = ''
child.stdout.setEncoding('utf8').on('data', chunk => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, ...answer } = JSON.parse(line)
    waiting.get(id)?.(answer)
    waiting.delete(id)
  }
})

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', chunk => (body += chunk))
  request.on('end', () => {
    const message = JSON.parse(body)
    if (message.id === undefined) {
      child.stdin.write(`${body}\n`)
      response.writeHead(202).end()
      return
    }
    const id = ++last
    waiting.set(id, answer => {
      const text = JSON.stringify({ ...answer, id: message.id })
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        'Mcp-Session-Id': 'floor',
      })
      response.end(text)
    })
    child.stdin.write(`${JSON.stringify({ ...message, id })}\n`)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
