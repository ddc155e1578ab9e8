import { expect, test } from 'vitest'
import { OutputRing } from '../../../src/workstation/run/output-ring.ts'
import { folder, open } from '../place.ts'
import { running, until } from '../processes.ts'

const root = folder()
const mark = (): string => `mark-${crypto.randomUUID()}`
const idOf = (answer: unknown): string => /^command-\d+/.exec(String(answer))?.[0] ?? ''
const version = '2025-11-25'

test('a command runs on, is read by offset, waited for and stopped with what it started', async () => {
  const client = open({ roots: [root], allowCommand: ['sh *'] }, { client: { version } })
  const name = mark()
  const script = `echo one; (sleep 1000; echo ${name}) & setsid sh -c 'sleep 1000; echo ${name}' & read x < fifo-none; echo \\u001B[31mtwo\\u001B[0m; sleep 1000; echo ${name}`
  const started = await client.call('start_command', { command: `sh -c "${script}"` })
  const id = idOf(started)
  expect(started).toMatch(/^command-\d+ 'sh -c .* runs for 0 s, /)
  await until(() => running(name).length >= 3)
  const first = String(await client.call('command_output', { id, limit: 4 }))
  expect(first).toMatch(/Bytes 0 to 4 of \d+, next offset 4\.\none$/)
  expect(await client.call('command_output', { id, offset: 4, wait: 5 })).toContain('two')
  expect(await client.call('list_commands')).toMatch(/^command-\d+ .* runs for \d+ s, \d+ bytes of output\.$/)
  expect(await client.call('stop_command', { id })).toMatch(/was stopped after \d+ s/)
  await until(() => running(name).length === 0)
  expect(await client.call('command_output', { id, offset: -5 })).toContain('was stopped')
  expect(await client.call('stop_command', { id })).toContain('was stopped')
}, 60_000)

test('how it ended is said; what is missing, not allowed or not known is refused', async () => {
  const client = open({ roots: [root], allowCommand: ['sh *', 'no-such-program'] }, { client: { version } })
  const id = idOf(await client.call('start_command', { command: 'sh -c "echo out; echo err >&2; exit 3"' }))
  const all = String(await client.call('command_output', { id, offset: 1000, wait: 30 }))
  expect(all).toMatch(/ended with exit code 3 after \d+ s, 8 bytes of output\. Bytes 8 to 8 of 8/)
  expect(await client.call('command_output', { id })).toMatch(/out\nerr|err\nout/)
  await expect(client.call('start_command', { command: 'ls' })).rejects.toThrow("'ls' is not allowed. Allowed: 'sh *'")
  await expect(client.call('start_command', { command: 'no-such-program' })).rejects.toThrow(/was not found/)
  await expect(client.call('start_command', { command: 'sh x', workingDirectory: '/' })).rejects.toThrow(/outside/)
  await expect(client.call('command_output', { id: 'command-999' })).rejects.toThrow(
    /'id' must name a command, got 'command-999'\. Known: command-\d/,
  )
  const short = idOf(await client.call('start_command', { command: 'sh -c "sleep 1000"', timeout: 1 }))
  expect(await client.call('command_output', { id: short, wait: 30 })).toContain('was stopped since its time was up')
  const none = open({ roots: [root] })
  await expect(none.call('start_command', { command: 'sh x' })).rejects.toThrow(/start_command/)
}, 60_000)

test('where several processes serve, an id says whose a command is, and none is taken for another', async () => {
  const of = (processName: string) =>
    open({ roots: [root], allowCommand: ['sh *'], processName }, { client: { version } })
  const [one, two] = [of('w1'), of('w2')]
  const started = String(await one.call('start_command', { command: 'sh -c "echo here"' }))
  const id = started.split(' ')[0] ?? ''
  expect(id).toBe('command-w1-1')
  await two.call('start_command', { command: 'sh -c "echo there"' })
  expect(await one.call('command_output', { id, wait: 30 })).toContain('here')
  await expect(two.call('command_output', { id })).rejects.toThrow(
    /got 'command-w1-1'\. Known: command-w2-1\. .*process 'w2',.*known to the process that started them/,
  )
  await expect(two.call('undo_edit')).rejects.toThrow(/nothing to undo.*process 'w2'/)
}, 60_000)

test('there are only so many, and they end with the session', async () => {
  const name = mark()
  const client = open({ roots: [root], allowCommand: ['*'] }, { client: { version } })
  const sleep = { command: `sh -c "trap '' TERM; sleep 1000; echo ${name}"` }
  const starts = Array.from({ length: 12 }, () =>
    client.call('start_command', sleep).catch((error: Error) => error.message),
  )
  const answers = (await Promise.all(starts)).map(String)
  expect(answers.filter(answer => answer.includes('runs for'))).toHaveLength(8)
  expect(answers.filter(answer => /8 commands run already.*End one with stop_command first/.test(answer))).toHaveLength(
    4,
  )
  await until(() => running(name).length === 8)
  client.close()
  await until(() => running(name).length === 0)
}, 60_000)

test('the output is a ring: what is gone is said, and characters stay whole', () => {
  const ring = new OutputRing(10)
  ring.push(Buffer.from('0123456789'))
  ring.push(Buffer.from('abc'))
  expect(ring.read(0, 100, false)).toEqual({ text: '3456789abc', from: 3, next: 13 })
  expect(ring.read(11, 1, false)).toEqual({ text: 'b', from: 11, next: 12 })
  expect(ring.read(99, 10, false)).toEqual({ text: '', from: 13, next: 13 })
  const wide = new OutputRing(100)
  wide.push(Buffer.from('aé€'))
  wide.push(Buffer.from('€').subarray(0, 2))
  expect(wide.read(0, 2, false)).toEqual({ text: 'a', from: 0, next: 1 })
  expect(wide.read(1, 100, false)).toEqual({ text: 'é€', from: 1, next: 6 })
  expect(wide.read(6, 100, false)).toEqual({ text: '', from: 6, next: 6 })
  expect(wide.read(6, 100, true).next).toBe(8)
  for (let i = 0; i < 5000; i++) ring.push(Buffer.from('x'))
  expect(ring.total).toBe(5013)
})
