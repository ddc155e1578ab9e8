import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path'

const MOST_LINKS = 40

/** Where a path leads, and every link on the way: another file in the place of a link would be taken for what it leads to. */
export const placesOf = (path: string): readonly string[] => [realOrPlanned(path), ...linksOn(path)]

/** The real path of what may not be there yet. */
function realOrPlanned(path: string): string {
  const absolute = resolve(path)
  try {
    return realpathSync.native(absolute)
  } catch {
    const parent = dirname(absolute)
    return parent === absolute ? absolute : join(realOrPlanned(parent), basename(absolute))
  }
}

/** The links that are followed on the way, each by the real path of its folder. */
function linksOn(path: string): readonly string[] {
  const links: string[] = []
  let at = parse(resolve(path)).root
  let names = namesBelow(at, resolve(path))
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = join(at, name)
    const target = targetOf(next)
    if (target === undefined) {
      at = next
      continue
    }
    links.push(next)
    if (links.length === MOST_LINKS) return links
    const led = resolve(at, target)
    at = parse(led).root
    names = [...namesBelow(at, led), ...names]
  }
  return links
}

const namesBelow = (root: string, path: string): string[] =>
  relative(root, path)
    .split(sep)
    .filter(name => name !== '')

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
