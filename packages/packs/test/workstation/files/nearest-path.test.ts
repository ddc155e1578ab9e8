import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { describe, expect, test } from 'vitest'
import { open, repository } from '../place.ts'

const root = repository({ 'src/core.py': 'a = 1\n', 'sub/deep/only.txt': '' })
const edits = [{ oldText: 'a', newText: 'b' }]

describe('a path that leads nowhere is answered with the nearest one', () => {
  const client = open({ roots: [root], allowCommand: ['cat *'] })

  test.each([
    ['edit_file', { path: 'src/cor.py', edits }],
    ['delete_file', { path: 'src/cor.py' }],
    ['file_info', { path: 'src/cor.py' }],
    ['move_file', { source: 'src/cor.py', destination: 'x' }],
    ['copy_file', { source: 'src/cor.py', destination: 'x' }],
    ['git_blame', { file: 'src/cor.py' }],
    ['git_blame', { repositoryPath: 'src', file: 'cor.py' }],
  ])('%s %j', async (name, args) => {
    await expect(client.call(name, args)).rejects.toThrow(/\. Did you mean '(src\/)?core\.py'\?$/)
  })

  test.each([
    ['list_directory', { path: 'scr' }],
    ['directory_tree', { path: 'scr' }],
    ['delete_directory', { path: 'scr' }],
    ['search_files', { path: 'scr', content: 'a' }],
    ['git_status', { repositoryPath: 'scr' }],
    ['run_command', { command: 'cat core.py', workingDirectory: 'scr' }],
    ['ci_build', { projectPath: 'scr' }],
  ])('%s %j', async (name, args) => {
    await expect(client.call(name, args)).rejects.toThrow(/No such file or directory: 'scr'\. Did you mean 'src'\?$/)
  })

  test('in the toolkit too, where it is a mistake in the arguments', async () => {
    const server = createServer({ name: 's', version: '1' })
    server.mount(toolkit({ roots: [root] }))
    const kit = connect(server)
    await expect(kit.call('outline', { path: 'src/cor.py' })).rejects.toThrow("Did you mean 'src/core.py'?")
    await expect(kit.call('find_hotspots', { project_path: 'scr' })).rejects.toThrow("Did you mean 'src'?")
  })

  test('nothing is named where nothing comes close, or outside of the roots', async () => {
    await expect(client.call('file_info', { path: 'src/zzzzzz' })).rejects.toThrow(/: 'src\/zzzzzz'$/)
    await expect(client.call('file_info', { path: '/etc/pasword' })).rejects.not.toThrow('Did you mean')
  })
})
