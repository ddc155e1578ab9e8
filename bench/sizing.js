// The table of sizes in docs/deploy.md, filled in by the benches that measure them.
import { readFileSync, writeFileSync } from 'node:fs'

const page = new URL('../docs/deploy.md', import.meta.url)

/** A line that says whether a figure is as good as it should be. */
export function verdict(what, value, { most, unit }) {
  const is = value <= most ? 'within' : 'OVER'
  console.log(`  ${is} the target: ${what} ${value} ${unit}, at most ${most} ${unit}`)
  return value <= most
}

/** Put figures into the rows of the table whose first cell is their name; one that has no row ends the run. */
export function writeFigures(figures) {
  let text = readFileSync(page, 'utf8')
  for (const [what, figure] of Object.entries(figures)) {
    const before = text
    text = text.replace(rowOf(what), (_, name, command) => `| ${name} | ${figure} | ${command} |`)
    if (text === before && !rowOf(what).test(text)) throw new Error(`docs/deploy.md has no row '${what}'`)
  }
  writeFileSync(page, text)
  console.log(`\nwritten to docs/deploy.md: ${Object.keys(figures).join('; ')}`)
}

function rowOf(what) {
  return new RegExp(`^\\| (${what.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}) \\| [^|]* \\| ([^|]*) \\|$`, 'm')
}
