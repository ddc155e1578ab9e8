import { readFileSync, writeFileSync } from 'node:fs'
import { isObject } from '@causeway/engine/internal'
import { serverGroups } from '@causeway/gateway'
import { editJson, isToml } from '../config/files/file-formats.ts'
import { parseServers } from '../config/files/servers-file.ts'
import { UsageError } from '../config/usage-error.ts'

/** Enable or disable a server in every file that has it; comments and layout stay. */
export function setDisabled(files: readonly string[], name: string, isDisabled: boolean): void {
  let isFound = false
  for (const file of files) {
    const group = serverGroups(parseServers(file)).find(({ servers }) => isObject(servers[name]))
    if (!group) continue
    isFound = true
    if (isToml(file)) throw new UsageError(byHand(file, [...group.path, name], isDisabled))
    const path = [...group.path, name]
    const text = editJson(readFileSync(file, 'utf8'), [...path, 'enabled'], undefined)
    writeFileSync(file, editJson(text, [...path, 'disabled'], isDisabled ? true : undefined))
  }
  if (!isFound) throw new UsageError(`No file has an entry '${name.slice(0, 100)}' to edit.`)
}

/** No library edits TOML and keeps what else is written there. */
const byHand = (file: string, path: readonly string[], isDisabled: boolean): string =>
  `${file} is TOML, which is not edited: write "enabled = ${String(!isDisabled)}" below [${path.join('.')}] by hand.`
