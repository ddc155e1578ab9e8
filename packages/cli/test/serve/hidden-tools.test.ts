import { connect } from '@causeway/engine/testing'
import { describe, expect, test, vi } from 'vitest'
import { readArgs } from '../../src/config/args.ts'
import { assemble, assembly } from '../../src/serve/assemble.ts'
import { readConfig } from '../../src/config/config.ts'
import { runHere } from '../support/here.ts'

const serving = (line: string) => assemble(readConfig(readArgs([...line.split(' '), '--log-level', 'silent']), {}))

const WRITES = 'It writes, and --read-only hides every tool that writes.'

describe('a tool that exists and is not served says which flag does that', () => {
  test.each([
    ['--read-only', 'write_file', WRITES],
    ['--read-only', 'filesystem/write', WRITES],
    ['--read-only', 'run_command', WRITES],
    ['--preset all', 'run_command', 'It is off until the operator allows commands with --allow-command PATTERN.'],
    ['--preset all', 'git_push', 'It is off until the operator allows remotes with --allow-remote.'],
    ['--exclude-tools write_file', 'write_file', 'It is left out by --exclude-tools.'],
    ['--exclude-tools write_file', 'filesystem/write', 'It is left out by --exclude-tools.'],
    ['--tools read_file', 'write_file', 'It is not among the tools named by --tools.'],
    [
      '--preset workstation',
      'tmkb_query',
      "It belongs to the pack 'threats', which is not served: --pack workstation,threats serves it too.",
    ],
    ['--preset workstation --read-only', 'write_file', WRITES],
    ['--preset cassini', 'write_file', "It belongs to the pack 'workstation'"],
  ])('%s: %s', async (line, name, why) => {
    const client = connect(await serving(line), { version: '2025-11-25' })
    await expect(client.call(name)).rejects.toMatchObject({ data: { hint: expect.stringContaining(why) } })
    // Presets of other systems have words of their own for the message.
    const [, preset = ''] = /--preset (\w+)/.exec(line) ?? []
    const fixed: Record<string, string> = {
      cassini: `Tool not found: ${name}`,
      workstation: `there is no tool '${name}'`,
    }
    const shown = fixed[preset] ?? why
    await expect(client.call(name)).rejects.toThrow(shown)
    const called = await runHere(['call', name, ...line.split(' ')])
    expect(called).toMatchObject({ code: 2, stderr: expect.stringContaining(`Unknown tool '${name}'. ${why}`) })
  })

  test('one that does not exist is refused as ever', async () => {
    const client = connect(await serving('--preset all'), { version: '2025-11-25' })
    await expect(client.call('write_fil')).rejects.toMatchObject({
      message: expect.stringMatching(/^Unknown tool: write_fil\. Did you mean '/),
      data: { suggestions: expect.arrayContaining(['write_file']) },
    })
  })

  test.each([
    ['', 'grep', 'Unknown tool: grep. Use search_files.'],
    ['', 'ls', 'Unknown tool: ls. Use list_directory.'],
    ['', 'bash', 'Unknown tool: bash. find_tools finds tools by what they do.'],
    ['', 'make_coffee', 'Unknown tool: make_coffee. find_tools finds tools by what they do.'],
    ['--preset threats', 'read_file', 'Unknown tool: read_file'],
    ['--preset threats', 'grep', 'Unknown tool: grep'],
    ['--preset toolkit', 'read_file', 'Invalid params: Unknown tool: read_file'],
  ])(
    '%s: %s is answered with what does the same, or how to find it; a document with its own words',
    async (line, name, words) => {
      const client = connect(await serving(line === '' ? '--search auto' : line), { version: '2025-11-25' })
      await expect(client.call(name)).rejects.toMatchObject({ message: words })
    },
  )

  test('--tools says why it cannot have one; --exclude-tools does not mind', async () => {
    await expect(serving('--read-only --tools write_file')).rejects.toThrow(`Unknown tool 'write_file'. ${WRITES}`)
    const server = await serving('--read-only --exclude-tools write_file')
    expect((await server.listed('tool')).length).toBeGreaterThan(0)
  })
})

test('tools whose program is not installed are left out, with a line in the log and a reason', async () => {
  vi.stubEnv('PATH', '/nonexistent')
  try {
    const config = readConfig(readArgs(['--log-level', 'warn']), {})
    const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { server, explain } = await assembly(config)
    const said = logged.mock.calls.map(([line]) => String(line)).join('')
    logged.mockRestore()
    const names = (await server.listed('tool')).map(({ name }) => String(name))
    expect(names.filter(name => name.startsWith('git_'))).toEqual([])
    expect(names).toContain('read_file')
    expect(said).toContain('git was not found on PATH')
    expect(await explain('git_status')).toBe('It needs the program git, which was not found on PATH.')
  } finally {
    vi.unstubAllEnvs()
  }
})
