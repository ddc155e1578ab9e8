import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'

/** One file of a skill, checked against what its entry says. */
async function readVerified(server, { uri, digest, size }) {
  const { contents } = await server.request('resources/read', { uri })
  const [{ text, blob } = {}] = contents
  const bytes = text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text)
  if (bytes.length !== size) throw new Error(`${uri} has another size than its skill says`)
  if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest)
    throw new Error(`${uri} has other contents than its skill says`)
  return bytes.toString()
}

/** Load a skill: its SKILL.md first, and nothing else of it unless that is what was listed. */
async function load(server, { uri, frontmatter, resources }) {
  const main = await readVerified(
    server,
    resources.find(file => file.uri === uri),
  )
  const [, written = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(main) ?? []
  if (!isDeepStrictEqual(parse(written), frontmatter)) throw new Error(`${uri} differs from what was listed`)
  for (const file of resources) if (file.uri !== uri) await readVerified(server, file)
}

/** List the skills, and load them where the scenario is about loading. */
export async function useSkills(server) {
  const { skills } = await server.request('skills/list')
  if (!process.env.MCP_CONFORMANCE_SCENARIO?.includes('verify')) return
  for (const skill of skills) await load(server, skill)
}
