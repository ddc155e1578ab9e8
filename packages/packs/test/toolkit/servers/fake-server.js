// A language server for tests, in one of several moods; `MOOD` stands in a line that the test puts in front.
import { appendFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

const documents = new Map()
const waiting = new Map()
let buffer = Buffer.alloc(0)
let asked = 0

process.stdin.on('data', chunk => {
  buffer = Buffer.concat([buffer, chunk])
  for (;;) {
    const end = buffer.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString('latin1', 0, end))[1])
    if (buffer.length < end + 4 + length) return
    const message = JSON.parse(buffer.toString('utf8', end + 4, end + 4 + length))
    buffer = buffer.subarray(end + 4 + length)
    void take(message)
  }
})
process.stdin.on('end', () => process.exit(0))

const write = text => process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
const send = message => write(JSON.stringify({ jsonrpc: '2.0', ...message }))
const ask = (method, params) =>
  new Promise(resolve => {
    asked += 1
    waiting.set(`s${asked}`, resolve)
    send({ id: `s${asked}`, method, params })
  })

async function take({ id, method, params, result, error }) {
  if (method === undefined) waiting.get(id)?.(result ?? error)
  else if (id === undefined) handlers[method]?.(params)
  else await answer(id, method, params)
}

async function answer(id, method, params) {
  try {
    if (!handlers[method]) throw new Error(`no ${method}`)
    send({ id, result: await handlers[method](params) })
  } catch (error) {
    send({ id, error: { code: -32803, message: error.message } })
  }
}

const forever = () => new Promise(() => {})
const position = (text, at) => {
  const before = text.slice(0, at).split('\n')
  return { line: before.length - 1, character: before.at(-1).length }
}
const wordAt = ({ textDocument: { uri }, position: { line, character } }) => {
  const row = documents.get(uri).split('\n')[line]
  return /^\w+/.exec(row.slice(character))[0]
}

/** Every place of a word in code, but for lines that say that they mean another one. */
const placesOf = word =>
  [...documents].flatMap(([uri, text]) =>
    [...text.matchAll(new RegExp(`\\b${word}\\b`, 'g'))]
      .filter(({ index }) => !/another/.test(text.slice(index).split('\n')[0]) && !/#.*$/.test(text.slice(0, index)))
      .map(({ index }) => ({ uri, range: { start: position(text, index), end: position(text, index + word.length) } })),
  )

const outcome = work => {
  try {
    work()
    return 'done'
  } catch (error) {
    return error.code
  }
}
const reach = port =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve('reached'))
    socket.on('error', error => resolve(error.code))
  })

/** What it could do, told as a diagnostic. */
async function powers(uri) {
  const path = new URL(uri).pathname
  const [, port = '1'] = /port (\d+)/.exec(documents.get(uri)) ?? []
  const wrote = outcome(() => appendFileSync(path, 'x'))
  const beside = outcome(() => writeFileSync(`${path}.new`, 'x'))
  const edit = await ask('workspace/applyEdit', { edit: { changes: { [uri]: [] } } })
  const config = await ask('workspace/configuration', { items: [{ section: 'python' }] })
  const variables = Object.keys(process.env).sort()
  return JSON.stringify({ wrote, beside, network: await reach(Number(port)), edit, config, variables })
}

const wrongIn = text =>
  [...text.matchAll(/wrong|odd/g)].map(({ 0: word, index }) => {
    const start = position(text, index)
    return { range: { start, end: start }, severity: word === 'odd' ? 2 : 1, message: `${word} here`, code: 7 }
  })

const handlers = {
  initialize: () => {
    if (MOOD === 'silent') return forever()
    if (MOOD === 'exits') process.exit(3)
    return { capabilities: { diagnosticProvider: {} }, serverInfo: { name: 'fake', version: '9.9' } }
  },
  shutdown: () => null,
  exit: () => MOOD !== 'stays' && process.exit(0),
  'textDocument/didOpen': ({ textDocument: { uri, version, text } }) => {
    documents.set(uri, text)
    if (MOOD !== 'pushes') return
    const params = { uri: uri.replace('.py', '%2Epy'), version, diagnostics: [] }
    send({ method: 'textDocument/publishDiagnostics', params })
    send({ method: 'textDocument/publishDiagnostics', params: { ...params, diagnostics: wrongIn(text) } })
  },
  'textDocument/didChange': ({ textDocument: { uri }, contentChanges: [{ text }] }) => void documents.set(uri, text),
  'textDocument/didClose': ({ textDocument: { uri } }) => void documents.delete(uri),
  'textDocument/diagnostic': async ({ textDocument: { uri } }) => {
    const text = documents.get(uri)
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }
    if (MOOD === 'tells') return { items: [{ range, severity: 1, message: await powers(uri) }] }
    if (MOOD === 'pushes') throw new Error('not on request')
    return { items: wrongIn(text) }
  },
  'textDocument/hover': params => ({
    contents: { kind: 'markdown', value: `\`\`\`python\n${wordAt(params)}: int\n\`\`\`` },
  }),
  'textDocument/references': params => {
    if (MOOD === 'mute') return forever()
    if (MOOD === 'giant') return process.stdout.write('Content-Length: 9999999999\r\n\r\n{}') && forever()
    if (MOOD === 'malformed') return process.stdout.write('Content-Length: many\r\n\r\n{}') && forever()
    if (MOOD === 'array') return write('[1]') && forever()
    if (MOOD === 'chatty') return chatter()
    if (MOOD === 'elsewhere')
      return [...placesOf(wordAt(params)), { ...placesOf(wordAt(params))[0], uri: 'file:///etc/hostname' }]
    if (MOOD === 'nonsense') return [{ uri: 7 }, null, { uri: 'http://x/', range: {} }]
    return placesOf(wordAt(params))
  },
  'textDocument/rename': params => {
    const { newName } = params
    if (MOOD === 'refuses') throw new Error('not this one')
    const edits = placesOf(wordAt(params)).map(({ uri, range }) => ({ uri, edit: { range, newText: newName } }))
    const changes = {}
    for (const { uri, edit } of edits) changes[uri] = [...(changes[uri] ?? []), edit]
    const [uri] = Object.keys(changes)
    if (MOOD === 'overlaps') changes[uri].push(changes[uri][0], { ...changes[uri][0], newText: newName.padEnd(99) })
    if (MOOD === 'scribbles') changes[uri][0].newText = `${newName}; evil()`
    if (MOOD === 'beyond')
      changes[uri][0].range = { start: { line: 900, character: 0 }, end: { line: 901, character: 0 } }
    if (MOOD === 'elsewhere') changes['file:///etc/hostname'] = changes[uri]
    if (MOOD === 'creates') return { documentChanges: [{ kind: 'create', uri: `${uri}.new` }] }
    return { changes }
  },
}

/** Talks without end, as fast as it is listened to. */
async function chatter() {
  for (;;) {
    const goesOn = write(JSON.stringify({ jsonrpc: '2.0', method: '$/progress', params: { token: 1, value: {} } }))
    if (!goesOn) await new Promise(resolve => void process.stdout.once('drain', resolve))
  }
}
