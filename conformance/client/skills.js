import { skillReader } from '@causeway/engine/client'
import { parse } from 'yaml'

/** List the skills, and load them where the scenario is about loading: SKILL.md first, then the other files. */
export async function useSkills(server) {
  const skills = skillReader(server, { parse })
  const listed = await skills.list()
  if (!process.env.MCP_CONFORMANCE_SCENARIO?.includes('verify')) return
  for (const skill of listed) {
    await skills.load(skill)
    for (const { uri } of skill.resources) if (uri !== skill.uri) await skills.read(skill, uri)
  }
}
