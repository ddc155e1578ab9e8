import { expect, test } from 'vitest'
import { plainLog } from '../../src/observe/plain-log.ts'

function recordedLog(...least: Parameters<typeof plainLog>): { log: ReturnType<typeof plainLog>; lines: string[] } {
  const lines: string[] = []
  return { log: plainLog(least[0], line => lines.push(line)), lines }
}

test('a line has its level, its request and its fields', () => {
  const { log, lines } = recordedLog('debug')
  log('info', 'serving on stdio', { version: '1', token: 'abc' })
  log('debug', 'seen', { request: 7 })
  log('warn', 'odd', { request: 'a b' })
  expect(lines).toEqual([
    '[INFO] [req_id=-] serving on stdio version="1" token="[redacted]"\n',
    '[DEBUG] [req_id=7] seen\n',
    '[WARN] [req_id=a b] odd\n',
  ])
})

test('what is below the level is left out, failures are errors', () => {
  const { log, lines } = recordedLog('error')
  log('info', 'fine', { request: 1 })
  log('debug', 'request failed', { request: 2, method: 'x', kind: 'method-not-found', problem: 'Method not found: x' })
  expect(lines).toEqual(['[ERROR] [req_id=2] Method not found: x\n'])
})

test('nobody can begin a line of their own', () => {
  const { log, lines } = recordedLog()
  log('error', 'one\r\n[INFO] two\u0007', { request: '1]\n[INFO] [req_id=2' })
  expect(lines).toEqual(['[ERROR] [req_id=1] [INFO] [req_id=2] one [INFO] two \n'])
})
