import { closeSync, openSync } from 'node:fs'
import { run } from '../../../src/support/processes/exec.ts'

/** Starts a program when no file can be opened any more, then again when some can; run with a low limit. */
const command = { program: 'echo', args: ['hello'], cwd: '/', env: { PATH: process.env.PATH ?? '' } }
const taken: number[] = []
try {
  for (;;) taken.push(openSync('/dev/null', 'r'))
} catch {
  // No more are to be had.
}
const failed: string[] = []
for (let free = 0; free < 8; free++) {
  await run(command).then(
    ({ stdout }) => failed.push(stdout.trim()),
    (error: Error) => failed.push(error.message),
  )
  const last = taken.pop()
  if (last !== undefined) closeSync(last)
}
for (const descriptor of taken) closeSync(descriptor)
const { stdout } = await run(command)
process.stdout.write(JSON.stringify({ failed, stdout }))
