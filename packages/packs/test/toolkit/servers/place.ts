import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEdits, workstation } from '@causeway/packs/workstation'
import type { ToolkitOptions } from '@causeway/packs/toolkit'
import { toolkit } from '@causeway/packs/toolkit'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { onTestFinished } from 'vitest'
import { folder, textOf, write } from '../world.ts'

const FAKE = readFileSync(new URL('fake-server.js', import.meta.url), 'utf8')

/** How our own language server behaves. */
export interface Mood {
  readonly mood?: string
  /** Put it inside the root instead. */
  readonly inside?: boolean
  readonly servers?: ToolkitOptions['languageServers']
  readonly sandbox?: boolean
}

/** Calls a tool, and gives the text of its answer. */
export type Tool = (name: string, args: Record<string, unknown>) => Promise<string>

/** A root with some Python, our own language server in place of pyright, and a client. */
export function place(
  files: Readonly<Record<string, string>>,
  { mood = 'good', inside = false, servers, sandbox }: Mood = {},
): { readonly root: string; readonly tool: Tool } {
  const root = write(folder(), files)
  const programs = inside ? join(root, 'bin') : folder()
  mkdirSync(programs, { recursive: true })
  writeFileSync(join(programs, 'fake.mjs'), `const MOOD = '${mood}'\n${FAKE}`, { mode: 0o755 })
  symlinkSync('fake.mjs', join(programs, 'pyright-langserver'))
  const server = createServer({ name: 'servers', version: '1', log: false })
  const edits = createEdits()
  const languageServers = { path: `${programs}:/usr/bin:/bin`, startMs: 20_000, askMs: 20_000, idleMs: 20, ...servers }
  server.mount(toolkit({ roots: [root], edits, sandbox, languageServers }))
  server.mount(workstation({ roots: [root], edits, plainArguments: true }), { use: [] })
  const client = connect(server)
  onTestFinished(() => client.close())
  const tool = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const result = await client.request('tools/call', { name, arguments: args })
    if (result.isError === true) throw new Error(textOf(result))
    return textOf(result)
  }
  return { root, tool }
}
