import type { Log, Source } from '@causeway/engine'
import { UsageError } from '../config/usage-error.ts'

const BUILT_IN = 'builtin'

/** The skills of `--skills`; a folder that cannot be read is refused. */
export async function skillsIn(folders: readonly string[], log: Log): Promise<readonly Source[]> {
  if (folders.length === 0) return []
  const { ownSkills, skills } = await import('@causeway/packs/skills')
  try {
    return [await skills({ folders: folders.map(folder => (folder === BUILT_IN ? ownSkills : folder)), log })]
  } catch (error) {
    throw new UsageError(`--skills cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  }
}
