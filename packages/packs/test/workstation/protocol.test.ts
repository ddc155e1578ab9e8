import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SPEC_DIALECT, versions } from '@causeway/engine'
import { folder, open, refusal, repository } from './place.ts'

interface Listed {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly properties: Readonly<Record<string, { readonly description?: string }>> }
  readonly annotations: Readonly<Record<string, boolean>>
}

const READING = [
  'read_file',
  'read_files',
  'list_directory',
  'directory_tree',
  'search_files',
  'file_exists',
  'directory_exists',
  'file_info',
  'git_status',
  'git_log',
  'git_diff',
  'git_show',
  'git_list_branches',
  'git_current_branch',
  'git_blame',
  'git_list_tags',
  'git_list_worktrees',
  'git_conflicts',
]
const WRITING = [
  'write_file',
  'edit_file',
  'replace_in_files',
  'create_directory',
  'move_file',
  'copy_file',
  'delete_file',
  'delete_directory',
  'undo_edit',
  'git_add',
  'git_commit',
  'git_create_branch',
  'git_checkout',
  'git_delete_branch',
  'git_merge',
  'git_resolve',
  'git_continue',
  'git_abort',
  'git_cherry_pick',
  'git_revert',
  'git_rebase',
  'git_restore',
  'git_stash',
  'git_create_tag',
  'ci_build',
  'ci_run_tests',
  'ci_restore',
]
const COMMANDS = ['run_command', 'start_command', 'command_output', 'stop_command', 'list_commands']
const REMOTES = ['git_fetch', 'git_pull', 'git_push']
const FACTS = ['get_diagnostics', 'debug_get_server_info', 'debug_print_env']

const root = repository({ 'a.txt': 'hello\n', 'package.json': '{"scripts":{"build":"exit 4"}}' })
const tools = async (options: Parameters<typeof open>[0]): Promise<Listed[]> =>
  (await open(options).request('tools/list')).tools as Listed[]

test('the tools, and what is left of them when nothing may be written', async () => {
  const names = async (options: Parameters<typeof open>[0]): Promise<string[]> =>
    (await tools(options)).map(t => t.name)
  expect(await names({ roots: [root] })).toEqual([...READING, ...WRITING, ...FACTS])
  expect(await names({ roots: [root], readOnly: true })).toEqual([...READING, ...FACTS])
  const all = { roots: [root], allowCommand: ['*'], allowRemote: true }
  expect(await names(all)).toEqual([...READING, ...WRITING, ...COMMANDS, ...REMOTES, ...FACTS])
  expect(await names({ ...all, readOnly: true })).toEqual([...READING, ...FACTS])
  const strict = open({ roots: [root], readOnly: true })
  for (const name of [...WRITING, 'filesystem/write', 'commit', 'build']) {
    expect((await refusal(strict.call(name, {}))).code).toBe(-32601)
  }
})

test('annotations tell reading, writing and destroying apart', async () => {
  const all = await tools({ roots: [root], allowCommand: ['*'], allowRemote: true })
  const those = (key: string, value: boolean): string[] =>
    all.filter(t => t.annotations[key] === value).map(t => t.name)
  expect(those('readOnlyHint', true)).toEqual([...READING, 'command_output', 'list_commands', ...FACTS])
  const changing = ['run_command', 'start_command', 'stop_command', ...REMOTES]
  expect(those('readOnlyHint', false)).toEqual([...WRITING, ...changing])
  expect(those('destructiveHint', true)).toEqual([
    'write_file',
    'edit_file',
    'replace_in_files',
    'delete_file',
    'delete_directory',
    'undo_edit',
    'git_delete_branch',
    'git_resolve',
    'git_abort',
    'git_rebase',
    'git_restore',
    'git_stash',
    'ci_build',
    'ci_run_tests',
    'ci_restore',
    'run_command',
    'start_command',
    'stop_command',
  ])
  expect(those('openWorldHint', true)).toEqual([
    'ci_build',
    'ci_run_tests',
    'ci_restore',
    'run_command',
    'start_command',
    ...REMOTES,
  ])
})

test('every tool and every argument is described, no two alike', async () => {
  const all = await tools({ roots: [root], allowCommand: ['*'], allowRemote: true })
  expect(new Set(all.map(tool => tool.description)).size).toBe(all.length)
  for (const { name, description, inputSchema } of all) {
    expect(description.length).toBeGreaterThan(30)
    for (const [argument, { description: words = '' }] of Object.entries(inputSchema.properties)) {
      expect({ name, argument, described: words.length > 5 }).toEqual({ name, argument, described: true })
    }
  }
})

test.each([
  ['filesystem/read', { path: 'a.txt' }, /^hello\n$/],
  ['filesystem/list', { path: '.' }, /a\.txt/],
  ['filesystem/tree', {}, /a\.txt/],
  ['filesystem/search', { pattern: '*.txt' }, /a\.txt/],
  ['filesystem/exists', { path: 'a.txt' }, /true/],
  ['filesystem/directory_exists', { path: '.' }, /true/],
  ['filesystem/info', { path: 'a.txt' }, /"size":6/],
  ['filesystem/write', { path: 'w/x.txt', content: 'x' }, /Wrote 1 bytes/],
  ['filesystem/edit', { path: 'w/x.txt', edits: [{ oldText: 'x', newText: 'y' }] }, /\+y/],
  ['filesystem/mkdir', { path: 'w/d' }, /is there/],
  ['filesystem/move', { source: 'w/x.txt', destination: 'w/z.txt' }, /Moved/],
  ['git/status', {}, /## main/],
  ['get_status', {}, /## main/],
  ['git/log', { maxCount: 1 }, /first/],
  ['get_log', { maxCount: 1 }, /first/],
  ['git/diff', {}, /^No changes that are not staged/],
  ['get_diff', {}, /^No changes that are not staged/],
  ['git/show', {}, /first/],
  ['git/branches', {}, /\* main/],
  ['list_branches', {}, /\* main/],
  ['git/current_branch', {}, /^main$/],
  ['get_current_branch', {}, /^main$/],
  ['git/add', { files: ['w'] }, /w\/z\.txt/],
  ['add', { files: ['w'] }, /w\/z\.txt/],
  ['git/commit', { message: 'second' }, /second/],
  ['git/create_branch', { branch: 'b' }, /Created branch b/],
  ['git/checkout', { branch: 'b' }, /Switched to b/],
  ['filesystem/delete', { path: 'w/z.txt' }, /Deleted/],
  [
    'ci/diagnostics',
    {},
    /^OS: .*\n64-bit: true\nProcessor Count: \d+\nWorking Directory: \/.*\nRuntime Version: Node\.js v\d+/,
  ],
])('%s is answered, and not listed', async (name, args, words) => {
  const client = open({ roots: [root] })
  const result = await client.request('tools/call', { name, arguments: args })
  expect((result.content as { text: string }[]).map(block => block.text).join('')).toMatch(words)
  expect((await tools({ roots: [root] })).map(tool => tool.name)).not.toContain(name)
})

test.each([...versions])('the codes of seed 000 in revision %s', async version => {
  const client = open({ roots: [root], allowCommand: ['sh'] }, { client: { version }, timeoutMs: 5000 })
  const code = async (name: string, args: Record<string, unknown>): Promise<[number, string]> => {
    const error = await refusal(client.call(name, args))
    return [error.code, error.message]
  }
  expect(await client.call('read_file', { path: 'a.txt' })).toBe('hello\n')
  expect(await code('read_fil', { path: 'a.txt' })).toEqual([-32601, 'Unknown tool: read_fil'])
  expect(await code('read_file', {})).toEqual([-32602, expect.stringContaining("Missing required parameter 'path'")])
  expect(await code('read_file', { path: 5 })).toEqual([-32602, expect.stringContaining("'path'")])
  expect(await code('read_file', { path: '/etc/passwd' })).toEqual([
    -32602,
    `Parameter 'path' leads outside the allowed directories, got '/etc/passwd'. Allowed: paths in ${root}.`,
  ])
  expect(await code('read_file', { path: 'missing' })).toEqual([-32603, "No such file or directory: 'missing'"])
  expect(await code('run_command', { command: 'sh -c "echo why >&2; exit 9"' })).toEqual([
    -32603,
    `'sh -c echo why >&2; exit 9' failed with exit code 9.\n[stderr]\nwhy`,
  ])
  expect(await code('ci_build', {})).toEqual([-32603, expect.stringContaining('exit code 4')])
  expect(await code('git_show', { revision: 'nothing' })).toEqual([-32603, expect.stringMatching(/^There is no /)])
  const short = open({ roots: [root], allowCommand: ['*'] }, { client: { version }, timeoutMs: 100 })
  expect(await refusal(short.call('run_command', { command: 'sleep 100' }))).toMatchObject({
    code: -32000,
    message: 'Tool execution timeout',
  })
})

test('without a dialect of its own, what a model can mend is a result it reads', async () => {
  const client = open({ roots: [root] }, { dialect: SPEC_DIALECT })
  const result = await client.request('tools/call', { name: 'read_file', arguments: { path: '../x' } })
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("'path' leads outside") }] })
})

const outside = folder({ 'secret.txt': 'secret' })
symlinkSync(outside, join(root, 'out'))
symlinkSync(join(outside, 'secret.txt'), join(root, 'leak'))
symlinkSync(join(outside, 'to-be'), join(root, 'dangling'))
const escapes = [
  '..',
  '../x',
  outside,
  join(outside, 'secret.txt'),
  'out',
  'out/secret.txt',
  'leak',
  'dangling',
  '/etc/passwd',
]

test.each(escapes)('every tool that takes a path refuses %s', async path => {
  const client = open({ roots: [root], allowCommand: ['*'] })
  const attempts: readonly (readonly [string, Record<string, unknown>])[] = [
    ...[
      'read_file',
      'list_directory',
      'file_exists',
      'directory_exists',
      'file_info',
      'delete_file',
      'create_directory',
      'directory_tree',
    ].map(name => [name, { path }] as const),
    ['write_file', { path, content: 'evil' }],
    ['edit_file', { path, edits: [{ oldText: 'secret', newText: 'evil' }] }],
    ['search_files', { path, content: 'secret' }],
    ['move_file', { source: path, destination: 'taken' }],
    ['move_file', { source: 'a.txt', destination: path }],
    ...['git_status', 'git_log', 'git_diff', 'git_show', 'git_list_branches', 'git_current_branch'].map(
      name => [name, { repositoryPath: path }] as const,
    ),
    ['git_add', { repositoryPath: path, files: ['.'] }],
    ['git_add', { files: [path] }],
    ['git_commit', { repositoryPath: path, message: 'evil' }],
    ['git_create_branch', { repositoryPath: path, branch: 'evil' }],
    ['git_checkout', { repositoryPath: path, branch: 'evil' }],
    ['ci_build', { projectPath: path }],
    ['ci_run_tests', { projectPath: path }],
    ['ci_restore', { projectPath: path }],
    ['run_command', { command: 'pwd', workingDirectory: path }],
  ]
  for (const [name, args] of attempts) {
    const error = await refusal(client.call(name, args))
    expect({ name, code: error.code, message: error.message }).toEqual({
      name,
      code: -32602,
      message: expect.stringContaining('leads outside the allowed directories'),
    })
  }
  expect(await open({ roots: [outside] }).call('directory_tree', {})).toBe('./\n  secret.txt')
  expect(await open({ roots: [outside] }).call('read_file', { path: 'secret.txt' })).toBe('secret')
})

test('facts of the server, and its environment with the secrets masked', async () => {
  const given = {
    MY_API_KEY: 'k',
    DB_PASSWORD: 'p',
    CONNECTIONSTRING: 'c',
    GITHUB_AUTH: 'a',
    DATABASE_URL: 'postgres://user:pass@host/db',
    HEADER: 'Bearer abcdefghijklmnop',
    PLAIN_VALUE: 'plain',
  }
  Object.assign(process.env, given)
  const client = open({ roots: [root], server: { name: 'ancplua-mcp', version: '1.0.0' } })
  const printed = (await client.call('debug_print_env')) as {
    variables: Record<string, string>
    totalCount: number
    maskedCount: number
  }
  const count = Object.keys(process.env).length
  for (const name of Object.keys(given)) delete process.env[name]
  expect(printed.variables).toMatchObject({
    MY_API_KEY: '***',
    DB_PASSWORD: '***',
    CONNECTIONSTRING: '***',
    GITHUB_AUTH: '***',
    DATABASE_URL: 'postgres://***@host/db',
    HEADER: '***',
    PLAIN_VALUE: 'plain',
  })
  expect(printed.totalCount).toBe(count)
  expect(printed.maskedCount).toBeGreaterThanOrEqual(6)
  expect(await client.call('debug_get_server_info')).toMatchObject({
    serverName: 'ancplua-mcp',
    version: '1.0.0',
    transport: 'memory',
    runtimeVersion: `Node.js ${process.version}`,
    processId: process.pid,
    uptime: expect.stringMatching(/^\d\d+:\d\d:\d\d$/),
    roots: [root],
  })
})

test('calls run side by side', async () => {
  const client = open({ roots: [root], allowCommand: ['*'] })
  const results = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      i % 3 === 0
        ? client.call('git_status')
        : i % 3 === 1
          ? client.call('read_file', { path: 'a.txt' })
          : client.call('run_command', { command: `echo ${i}` }),
    ),
  )
  expect(results.filter((_, i) => i % 3 === 1).every(text => text === 'hello\n')).toBe(true)
  expect(results[59]).toBe('59\n')
})
