import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { createEdits, workstation } from '@causeway/packs/workstation'
import { onTestFinished } from 'vitest'
import { call, folder, textOf, write } from '../world.ts'

/** A project, and someone who works in it with both packs. */
export interface Work {
  readonly root: string
  readonly to: Client
  read(file: string): string
  /** The text of an answer. */
  say(name: string, args: Record<string, unknown>): Promise<string>
}

/** Write files, and open both packs over them. */
export function work(files: Readonly<Record<string, string>>, operatorFiles: readonly string[] = []): Work {
  const root = write(folder(), files)
  const edits = createEdits()
  const operator = operatorFiles.map(file => join(root, file))
  const server = createServer({ name: 'code', version: '1' })
  server.mount(toolkit({ roots: [root], edits, operatorFiles: operator }))
  server.mount(workstation({ roots: [root], edits, operatorFiles: operator }))
  const to = connect(server)
  onTestFinished(() => to.close())
  return {
    root,
    to,
    read: file => readFileSync(join(root, file), 'utf8'),
    say: async (name, args) => textOf(await call(to, name, args)),
  }
}
