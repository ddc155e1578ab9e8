import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { clientPrograms } from '@causeway/engine/client-programs'
import { isObject } from '@causeway/engine/internal'
import { entryIn } from './edit-entry.ts'
import { pathOn } from './client-paths.ts'

/** Entries in files of client programs that start another Causeway than this one, a sentence each. */
export function outdatedEntries(own: readonly string[]): readonly string[] {
  return clientPrograms.flatMap(program =>
    program.files.flatMap(({ path, container = program.container }) => {
      const file = pathOn(path)
      const command = isAbsolute(file) ? commandIn(file, [...container, 'causeway']) : undefined
      if (!command || own.every((word, i) => command[i] === word)) return []
      const script = command.find(word => /causeway(?:-mcp)?(?:\.js)?$/.test(word) && isAbsolute(word))
      const why =
        script !== undefined && !existsSync(script) ? `${script}, which is gone` : command.slice(0, 2).join(' ')
      return [`${program.name}: ${file} starts ${why}. Update it with: causeway install ${program.id}`]
    }),
  )
}

function commandIn(file: string, path: readonly string[]): readonly string[] | undefined {
  try {
    const entry = entryIn(file, path)
    if (!isObject(entry)) return undefined
    const command = entry.command ?? entry.cmd
    return typeof command === 'string'
      ? [command, ...(Array.isArray(entry.args) ? entry.args.map(String) : [])]
      : undefined
  } catch {
    // A file that cannot be read is another command's business.
    return undefined
  }
}
