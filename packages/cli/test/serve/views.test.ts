import { APPS_CAPABILITY } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { assemble } from '../../src/serve/assemble.ts'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'

const listed = async (...args: string[]): Promise<string[]> => {
  const server = await assemble(readConfig(readArgs([...args, '--log-level', 'silent']), {}))
  const client = connect(server, { capabilities: { extensions: APPS_CAPABILITY } })
  const { tools } = (await client.request('tools/list')) as { tools: { name: string; _meta?: { ui?: object } }[] }
  return tools.flatMap(({ name, _meta }) => (_meta?.ui ? [name] : []))
}

test('views are served by default, and to clients that show them', async () => {
  expect(await listed('--pack', 'toolkit')).toContain('view_hotspots')
})

test('a tool that works for another one is excluded and chosen with it', async () => {
  expect(await listed('--pack', 'toolkit', '--exclude-tools', 'find_hotspots')).not.toContain('view_hotspots')
  expect(await listed('--pack', 'toolkit', '--exclude-tools', 'view_hotspots')).not.toContain('view_hotspots')
  expect(await listed('--pack', 'toolkit', '--tools', 'find_hotspots')).toEqual(['find_hotspots', 'view_hotspots'])
})

test('a preset that follows a document has none', async () => {
  expect(await listed('--preset', 'workstation')).toEqual([])
  expect(await listed('--preset', 'cassini')).toEqual([])
})
