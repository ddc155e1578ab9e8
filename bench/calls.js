const addend = 3

/**
 * Builds `count` tools/call requests with ids from `first` on, as one buffer and the offset where each begins; `extra`
 * goes into the params, `frame` puts a message on the wire (a line by default), `tool` is the name that clients see.
 */
export function buildCalls(first, count, { extra, frame, tool = 'add_numbers' } = {}) {
  const messages = []
  for (let id = first; id < first + count; id++) {
    const params = { name: tool, arguments: { number1: id, number2: addend }, ...extra }
    messages.push({ jsonrpc: '2.0', id, method: 'tools/call', params })
  }
  return { first, ...toFlight(messages, frame) }
}

/** Lays out messages so that any run of them is one slice: what the load client sends. */
export function toFlight(messages, frame = body => `${body}\n`) {
  const frames = messages.map(message => Buffer.from(frame(JSON.stringify(message))))
  const offsets = new Uint32Array(frames.length + 1)
  frames.forEach((bytes, at) => (offsets[at + 1] = offsets[at] + bytes.length))
  return { count: frames.length, bytes: Buffer.concat(frames), offsets }
}

/** Throws unless `answers` holds exactly one right answer for each of the calls. */
export function checkAnswers(calls, answers) {
  const seen = new Uint8Array(calls.count)
  const lines = answers.split('\n')
  if (lines.pop() !== '') throw new Error('the last answer is cut off')
  for (const line of lines) {
    const message = JSON.parse(line)
    const at = message.id - calls.first
    if (!(at >= 0 && at < calls.count)) throw new Error(`not an answer to any call: ${line}`)
    if (seen[at]++) throw new Error(`answered twice: ${line}`)
    if (!isSum(message.result, message.id + addend)) throw new Error(`wrong answer: ${line}`)
  }
  if (lines.length !== calls.count) throw new Error(`${lines.length} answers to ${calls.count} calls`)
}

function isSum(result, sum) {
  if (!result || result.isError) return false
  const [block] = result.content
  return block.type === 'text' && JSON.parse(block.text).result === sum && result.structuredContent?.result === sum
}
