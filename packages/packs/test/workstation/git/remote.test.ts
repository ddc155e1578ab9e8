import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { trap } from './canary.ts'
import { git as anyGit, fill, folder, open, refusal, repository } from '../place.ts'
import { needs } from '../../../../../test/support/needs.ts'

/** Run git as a careful person would, since these repositories are full of traps. */
const git = (path: string, ...args: readonly string[]): string =>
  anyGit(path, '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...args)

/** A root with a bare repository and two clones of it. */
function cloned(): { root: string; bare: string; a: string; b: string } {
  const root = folder()
  const bare = join(root, 'bare.git')
  git(root, 'clone', '--quiet', '--bare', repository(), bare)
  for (const name of ['a', 'b']) {
    git(root, 'clone', '--quiet', bare, name)
    git(join(root, name), 'config', 'user.name', 'Ada')
    git(join(root, name), 'config', 'user.email', 'ada@example.org')
  }
  return { root, bare, a: join(root, 'a'), b: join(root, 'b') }
}

function commit(path: string, name: string): void {
  fill(path, { [name]: `${name}\n` })
  git(path, 'add', '.')
  git(path, 'commit', '--quiet', '--message', name)
}

test('without the operator’s word there is no tool that talks to remotes', async () => {
  const root = repository()
  for (const options of [{ roots: [root] }, { roots: [root], allowRemote: true, readOnly: true }]) {
    const { tools } = (await open(options).request('tools/list')) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name).filter(name => /fetch|pull|push/.test(name))).toEqual([])
  }
})

test('push, fetch and pull with a repository inside the roots, and nothing of it is run', async () => {
  const { root, bare, a, b } = cloned()
  const { program, sprung } = trap()
  for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction', 'pre-push'])
    for (const path of [join(bare, 'hooks'), join(a, '.git/hooks')]) {
      mkdirSync(path, { recursive: true })
      writeFileSync(join(path, hook), readFileSync(program))
      chmodSync(join(path, hook), 0o755)
    }
  for (const key of ['uploadpack.packObjectsHook', 'core.alternateRefsCommand', 'core.fsmonitor', 'credential.helper'])
    for (const path of [bare, a]) git(path, 'config', key, program)
  git(a, 'config', `url.ext::${program}.insteadOf`, bare)
  git(a, 'config', 'remote.origin.receivepack', program)
  git(a, 'config', 'remote.origin.uploadpack', program)
  git(a, 'config', 'core.sshCommand', program)
  commit(a, 'new.txt')
  const client = open({ roots: [root], allowRemote: true })
  expect(await client.call('git_push', { repositoryPath: 'a' })).toMatch(/^Pushed, 'origin' at .*bare\.git:\n.*main/s)
  expect(git(bare, 'log', '-1', '--format=%s')).toBe('new.txt\n')
  expect(git(bare, 'fsck', '--strict')).toBe('')
  expect(git(a, 'status', '--porcelain', '--branch')).toContain('## main...origin/main\n')
  expect(await client.call('git_push', { repositoryPath: 'a' })).toContain('up to date')
  expect(await client.call('git_fetch', { repositoryPath: 'b' })).toMatch(/main +-> origin\/main/)
  expect(git(b, 'rev-parse', 'origin/main')).toBe(git(bare, 'rev-parse', 'main'))
  expect(existsSync(join(b, 'new.txt'))).toBe(false)
  commit(b, 'other.txt')
  await expect(client.call('git_push', { repositoryPath: 'b' })).rejects.toThrow(/call git_pull first/)
  await expect(client.call('git_pull', { repositoryPath: 'b', fastForwardOnly: true })).rejects.toThrow(/merge commit/)
  await client.call('git_pull', { repositoryPath: 'b' })
  expect(readFileSync(join(b, 'new.txt'), 'utf8')).toBe('new.txt\n')
  expect(git(b, 'log', '-1', '--format=%s')).toBe('Merge origin/main\n')
  await client.call('git_push', { repositoryPath: 'b' })
  git(b, 'tag', 'v1')
  expect(await client.call('git_push', { repositoryPath: 'b', tag: 'v1' })).toContain('v1')
  await client.call('git_fetch', { repositoryPath: 'a' })
  expect(git(a, 'tag', '--list')).toBe('v1\n')
  expect(sprung()).toEqual([])
})

test('addresses that name a program, another transport or a place outside are refused', async () => {
  const root = repository()
  const { program, sprung } = trap()
  const outside = repository({ 'secret.txt': 'secret\n' })
  const client = open({ roots: [root], allowRemote: true })
  const refused: Record<string, RegExp> = {
    [`ext::${program}`]: /which is not used here/,
    [`ext::sh -c ${program}`]: /which is not used here/,
    'git://example.org/x': /which is not used here/,
    'ftp://example.org/x': /which is not used here/,
    'http://example.org/x': /it is not encrypted/,
    [`ssh://-oProxyCommand=${program}/x`]: /which is not used here/,
    [`-oProxyCommand=${program}:x`]: /which is not used here/,
    [`host:--upload-pack=${program}`]: /which is not used here/,
    '--upload-pack=x': /which is not used here/,
    [outside]: /outside the allowed/,
    [`file://${outside}`]: /outside the allowed/,
    [`../${outside.split('/').at(-1) ?? ''}`]: /outside the allowed/,
    'https://ada:pass-word@': /remote 'evil'/,
    'https://evil.example?@github.com/x': /which is not used here/,
    'ssh://ada:pass-word@example.org/x': /which is not used here/,
  }
  for (const [url, words] of Object.entries(refused)) {
    git(root, 'config', '--replace-all', 'remote.evil.url', url)
    for (const tool of ['git_fetch', 'git_push', 'git_pull']) {
      const { message } = await refusal(client.call(tool, { remote: 'evil' }))
      expect(message, url).toMatch(words)
      expect(message).not.toContain('pass-word')
    }
  }
  await expect(client.call('git_fetch', { remote: 'none' })).rejects.toThrow(
    "Parameter 'remote' must be the name of a remote of this repository, got 'none'. Remotes: 'evil'.",
  )
  await expect(client.call('git_fetch', { remote: '--upload-pack=x' })).rejects.toThrow(/must be the name of a remote/)
  await expect(client.call('git_push', { remote: 'evil', force: true })).rejects.toThrow(/force/)
  expect(sprung()).toEqual([])
})

test('a checked out branch is not pushed over', async () => {
  const root = folder()
  git(root, 'clone', '--quiet', repository(), 'a')
  git(root, 'clone', '--quiet', 'a', 'b')
  for (const name of ['user.name', 'user.email']) git(join(root, 'b'), 'config', name, 'x')
  commit(join(root, 'b'), 'new.txt')
  const client = open({ roots: [root], allowRemote: ['*'] })
  await expect(client.call('git_push', { repositoryPath: 'b' })).rejects.toThrow(/checked out there: push another/)
})

/** Run something with other programs found first. */
async function withPath<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const { PATH } = process.env
  process.env.PATH = `${directory}:${PATH ?? ''}`
  try {
    return await work()
  } finally {
    process.env.PATH = PATH
  }
}

test('over ssh: the program outside the roots, and nothing the repository names', async () => {
  const { root, bare, a } = cloned()
  const { program, sprung } = trap()
  const far = folder()
  git(far, 'clone', '--quiet', '--bare', bare, 'far.git')
  const script = `#!/bin/sh\necho "$*" >> '${far}/log'\nfor last; do :; done\nexec sh -c "$last"\n`
  for (const [path, text] of [
    [join(far, 'ssh'), script],
    [join(root, 'ssh'), readFileSync(program, 'utf8')],
  ] as const) {
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }
  git(a, 'config', 'core.sshCommand', program)
  git(a, 'config', 'ssh.variant', 'simple')
  git(a, 'remote', 'set-url', 'origin', `git@example.org:${far}/far.git`)
  commit(a, 'new.txt')
  const client = open({ roots: [root], allowRemote: ['git@example.org:*'] })
  await withPath(`${root}:${far}`, async () => {
    await client.call('git_push', { repositoryPath: 'a' })
    await client.call('git_fetch', { repositoryPath: 'a' })
  })
  expect(git(join(far, 'far.git'), 'log', '-1', '--format=%s')).toBe('new.txt\n')
  expect(readFileSync(join(far, 'log'), 'utf8')).toMatch(
    /git@example\.org git-receive-pack '.*far\.git'\n.*git@example\.org git-upload-pack '.*far\.git'\n$/,
  )
  expect(sprung()).toEqual([])
})

const backend = `${execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim()}/git-http-backend`
const needsBackend = needs('git-http-backend', existsSync(backend))
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** Serves the repositories of a folder as git's own program for web servers does. */
async function serveGit(path: string): Promise<{ readonly base: string; readonly seen: string[] }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`)
    if (request.url?.startsWith('/moved/')) response.writeHead(302, { location: request.url.slice(6) }).end()
    else if (request.url?.startsWith('/stalled/')) response.writeHead(200).write('x')
    else if (request.url?.startsWith('/private/'))
      response.writeHead(401, { 'www-authenticate': 'Basic realm=x' }).end()
    else cgi(path, request, response)
  })
  servers.push(server)
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

function cgi(path: string, request: IncomingMessage, response: ServerResponse): void {
  const [info = '', query = ''] = (request.url ?? '').split('?')
  const child = spawn(backend, {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: path,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: info,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
      REMOTE_USER: 'ada',
      REMOTE_ADDR: '127.0.0.1',
    },
  })
  request.pipe(child.stdin)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('close', () => {
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\r\n\r\n')
    const lines = all.subarray(0, end).toString().split('\r\n')
    const headers = lines.map(line => line.split(': ') as [string, string])
    const status = Number.parseInt(headers.find(([name]) => name === 'Status')?.[1] ?? '200', 10)
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')))
    response.end(all.subarray(end + 4))
  })
}

test(
  'over HTTP: push, fetch, pull; no redirects, no questions, no helper of the repository',
  needsBackend,
  async () => {
    const { root, bare, a, b } = cloned()
    const { base, seen } = await serveGit(root)
    const { program, sprung } = trap()
    git(bare, 'config', 'http.receivepack', 'true')
    git(bare, 'repack', '-adq')
    for (const path of [a, b]) git(path, 'remote', 'set-url', 'origin', `${base}/bare.git`)
    for (const key of [
      'credential.helper',
      'core.askPass',
      'http.proxy',
      'core.gitProxy',
      'remote.origin.proxy',
      'http.sslCert',
    ])
      git(a, 'config', key, program)
    git(a, 'config', 'http.extraHeader', 'Authorization: stolen')
    git(a, 'config', `url.${base}/private/.insteadOf`, `${base}/`)
    const client = open({ roots: [root], allowRemote: ['http://127.0.0.1:*'] })
    commit(a, 'new.txt')
    await client.call('git_push', { repositoryPath: 'a' })
    expect(git(bare, 'log', '-1', '--format=%s')).toBe('new.txt\n')
    await client.call('git_pull', { repositoryPath: 'b' })
    expect(readFileSync(join(b, 'new.txt'), 'utf8')).toBe('new.txt\n')
    expect(git(b, 'status', '--porcelain', '--branch')).toBe('## main...origin/main\n')
    expect(git(b, 'fsck', '--strict')).toBe('')
    expect(seen.filter(line => line.includes('stolen') || line.includes('/private/'))).toEqual([])

    git(a, 'remote', 'set-url', 'origin', `${base.replace('//', '//ada:pass-word@')}/private/bare.git`)
    const { message } = await refusal(client.call('git_fetch', { repositoryPath: 'a' }))
    expect(message).toMatch(/credential helper/)
    expect(message).not.toContain('pass-word')
    git(a, 'remote', 'set-url', 'origin', `${base}/moved/bare.git`)
    await expect(client.call('git_fetch', { repositoryPath: 'a' })).rejects.toThrow(/git failed with 'origin'/)
    expect(sprung()).toEqual([])

    const narrow = open({ roots: [root], allowRemote: ['https://github.com/*'] })
    await expect(narrow.call('git_fetch', { repositoryPath: 'b' })).rejects.toThrow(/it is not encrypted/)
    git(b, 'remote', 'set-url', 'origin', 'https://gitlab.com/x/y')
    await expect(narrow.call('git_fetch', { repositoryPath: 'b' })).rejects.toThrow(
      "allows only 'https://github.com/*' (--remote-url)",
    )
  },
)

test('a server that stalls is given up, and what was started for it is gone', needsBackend, async () => {
  const { root, a } = cloned()
  const { base } = await serveGit(root)
  git(a, 'remote', 'set-url', 'origin', `${base}/stalled/bare.git`)
  const client = open({ roots: [root], allowRemote: ['http://127.0.0.1:*'], limits: { timeMs: 1500 } })
  await expect(client.call('git_fetch', { repositoryPath: 'a' })).rejects.toThrow(/stopped after 1.5 s|timeout/i)
  const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  expect(processes).not.toContain(`${base}/stalled`)
})
