import { NOWHERE, outside, to } from '../resolution.ts'
import { firstFile, folderOf, join, under, upwards } from '../tree.ts'
import type { Project, Resolver } from './resolver.ts'

const LOADED = ['lib', '', 'app', 'src', 'test', 'tests', 'spec']

/** How Ruby names files: from this one, or from where libraries begin. */
export function ruby({ tree }: Project): Resolver {
  return (from, { to: written, as: callee }) => {
    const endings = [`${written}.rb`, written]
    if (callee === 'require_relative' || /^\.{1,2}\//.test(written))
      return to(
        firstFile(
          tree,
          endings.map(path => join(folderOf(from), path)),
        ),
      )
    const places = upwards(folderOf(from)).flatMap(up => LOADED.map(folder => under(up, folder).replace(/\/$/, '')))
    const found = firstFile(
      tree,
      places.flatMap(place => endings.map(path => join(place, path))),
    )
    if (found !== undefined) return to(found)
    return callee === 'load' ? NOWHERE : outside(written.split('/', 1)[0] ?? written)
  }
}

/** How shell scripts name others: from the directory they run in, or their own, behind a variable that holds it. */
export function shell({ tree }: Project): Resolver {
  return (from, { to: written }) => {
    const path = written.replace(/^.*(?:\)|\}|\$\w+)["']?\//, './').replace(/["']/g, '')
    if (/[$`*?]/.test(path) || path.startsWith('/')) return outside('files named at run time')
    const places = upwards(folderOf(from)).map(up => join(up, path))
    return to(firstFile(tree, places))
  }
}
