import { NOWHERE, outside, to } from '../resolution.ts'
import { firstFile, folderOf, join, under, upwards } from '../tree.ts'
import type { Project, Resolver } from './resolver.ts'

/** How Go names packages: by the modules of the project. A package is a folder, so all its files are meant. */
export function go({ tree, config }: Project): Resolver {
  const modules = config.goModules.toSorted((a, b) => b.module.length - a.module.length)
  return (_, { to: written }) => {
    const owner = modules.find(({ module }) => written === module || written.startsWith(`${module}/`))
    if (!owner) return outside(/^[^./]+(?:\/|$)/.test(written) ? 'std' : written.split('/', 3).join('/'))
    const folder = under(owner.folder, written.slice(owner.module.length + 1)).replace(/\/$/, '')
    return to(...(tree.inFolder.get(folder) ?? []).filter(file => file.endsWith('.go') && !file.endsWith('_test.go')))
  }
}

// Some write the headers of the language in quotes.
const STANDARD =
  /^(?:assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|threads|time|uchar|wchar|wctype|windows)\.h$/
const INCLUDED = ['', 'include', 'src', 'inc', 'lib']

/** How C and C++ find what they include: beside the file, where the compiler is told to look, or where there is only one. */
export function includes({ tree, config }: Project): Resolver {
  const everywhere = config.includes[''] ?? []
  return (from, { to: written, how }) => {
    const folder = folderOf(from)
    const told = Object.hasOwn(config.includes, from) ? (config.includes[from] ?? []) : everywhere
    const beside = how === 'system' ? [] : [folder]
    const near = upwards(folder).flatMap(up => INCLUDED.map(place => under(up, place).replace(/\/$/, '')))
    const found = firstFile(
      tree,
      [...beside, ...told, ...near].map(place => join(place, written)),
    )
    if (found !== undefined) return to(found)
    // One word may be anything of the system.
    const only = how === 'system' && !written.includes('/') ? undefined : onlyOne(written, folder, tree)
    if (only !== undefined) return to(only)
    return how === 'system' || STANDARD.test(written) ? outside(written.split('/', 1)[0] ?? written) : NOWHERE
  }
}

/** The file whose path ends so; of several the one that is nearest, if one is. */
function onlyOne(written: string, folder: string, { named }: Project['tree']): string | undefined {
  const path = written.replace(/^(?:\.{1,2}\/)+/, '')
  const found = (named.get(path.slice(path.lastIndexOf('/') + 1)) ?? []).filter(file => `/${file}`.endsWith(`/${path}`))
  const ranked = found.map(file => ({ file, near: shared(file, folder) })).sort((a, b) => b.near - a.near)
  const [first, second] = ranked
  return first && (!second || first.near > second.near) ? first.file : undefined
}

/** How many directories two paths begin with alike. */
function shared(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')]
  let count = 0
  while (count < left.length && left[count] === right[count]) count += 1
  return count
}
