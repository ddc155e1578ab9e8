// The floor: what Node alone costs to read a line, parse it, build an answer of the same size and write it.
let rest = ''

process.stdin.setEncoding('utf8')
process.stdin.on('data', chunk => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  let out = ''
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    const result = method === 'initialize' ? welcome(params) : add(params.arguments)
    out += JSON.stringify({ jsonrpc: '2.0', id, result }) + '\n'
  }
  if (out !== '') process.stdout.write(out)
})

function add({ number1, number2 }) {
  const output = { result: number1 + number2 }
  return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output }
}

function welcome({ protocolVersion }) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'floor', version: '0.0.0' } }
}
