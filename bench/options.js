import { cpus } from 'node:os'
import { missing } from './targets.js'

/** What the figures were measured on. */
export const machine = `${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}`

/** The targets this machine has; the others are named, with what would bring them. */
export function onlyPresent(targets) {
  return targets.filter(target => {
    const [lacking] = missing(target)
    if (lacking) console.log(`skipped ${target.name}: no ${lacking} (${target.hint})`)
    return !lacking
  })
}

/** A whole number from 1 to `most`; anything else ends the run. */
export function readCount(name, text, most) {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= most) return count
  console.error(`--${name} takes a whole number from 1 to ${most}, not '${text}'`)
  return process.exit(2)
}

/** Tells someone who watches which round it is. */
export const showRound = rounds => round => {
  if (process.stderr.isTTY) process.stderr.write(`round ${round + 1} of ${rounds}\r`)
}
