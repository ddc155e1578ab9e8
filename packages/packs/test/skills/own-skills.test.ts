import { readFileSync } from 'node:fs'
import { createServer } from '@causeway/engine'
import type { Server, Skill } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { cassini } from '@causeway/packs/cassini'
import { ownSkills, skills } from '@causeway/packs/skills'
import { threats } from '@causeway/packs/threats'
import { toolkit } from '@causeway/packs/toolkit'
import { expect, test } from 'vitest'

const problems: unknown[] = []
const source = await skills({ folders: [ownSkills], watch: false, log: (_l, _m, fields) => void problems.push(fields) })
const server = createServer({ name: 'near', version: '1', log: false })
server.mount(source)
const listed = (await connect(server).request('skills/list')).skills as Skill[]

test('the skills that come with the packs are served, each with all of its files', () => {
  expect(problems).toEqual([])
  expect(listed.map(({ frontmatter }) => frontmatter.name)).toEqual([
    'refactor-hotspots',
    'report-flyby',
    'review-endpoint',
    'write-mcp-server',
  ])
  for (const { resources } of listed) expect(resources.length).toBeGreaterThan(1)
})

test('they name only tools that there are, and only files that they have', async () => {
  const own = { server: { name: 'near', version: '1' }, roots: [ownSkills], readOnly: true }
  const packs = createServer({ name: 'packs', version: '1', log: false })
  packs.mount(toolkit(own))
  packs.mount(threats())
  packs.mount(cassini({}))
  const tools = new Set((await packs.listed('tool')).map(({ name }) => name))
  for (const { uri, resources } of listed) {
    const text = readFileSync(`${ownSkills}${uri.slice('skill://'.length)}`, 'utf8')
    for (const [, tool] of text.matchAll(/`((?:find|analyze|get|search|query|list|tmkb)_\w+)`/g))
      expect(tools).toContain(tool)
    const files = resources === 'dynamic' ? [] : resources.map(file => file.uri)
    for (const [, path] of text.matchAll(/`((?:references|templates|examples)\/[\w.-]+)`/g))
      expect(files).toContain(uri.replace('SKILL.md', String(path)))
  }
})

test('the server that one of them begins with works', async () => {
  const path = `${ownSkills}write-mcp-server/examples/server.js`
  const { server: money } = (await import(path)) as { server: Server }
  const client = connect(money, { version: '2025-11-25' })
  expect(await client.call('convert_currency', { amount: 10, from: 'EUR', to: 'USD' })).toEqual({
    amount: 11,
    currency: 'USD',
  })
  await expect(client.call('convert_currency', { amount: 1, from: 'EUR', to: 'EUR' })).rejects.toThrow(
    'nothing to convert',
  )
})
