import { NOWHERE, outside } from '../resolution.ts'
import type { Resolution } from '../resolution.ts'
import { firstFile, folderOf, join, under, upwards } from '../tree.ts'
import type { Tree } from '../tree.ts'
import { PYTHON_LIBRARY } from './python-library.ts'
import type { Project, Resolver } from './resolver.ts'

const SOURCES = ['', 'src', 'lib', 'app', 'python']

/** How Python names modules: from the directories where packages begin, or by dots from where the file is. */
export function python(project: Project): Resolver {
  return (from, link) => {
    const [, module, names = ''] = /^from (\S+) import (.*)$/.exec(link.to) ?? []
    if (module === undefined) {
      const modules = link.to.replace(/^import\s+/, '').split(',')
      return together(modules.map(name => whole(project, from, name.trim().split(/\s/, 1)[0] ?? '')))
    }
    const imported = names
      .replace(/[()\\]/g, ' ')
      .split(',')
      .map(name => name.trim().split(/\s/, 1)[0] ?? '')
      .filter(name => name !== '')
    return together(imported.map(name => part(project, { from, module, name })))
  }
}

function together(found: readonly Resolution[]): Resolution {
  const files = [...new Set(found.flatMap(one => one.files))]
  const missing = found.find(one => one.files.length === 0 && one.outside === undefined)
  const [first] = found.flatMap(one => one.outside ?? [])
  if (files.length > 0 || !first || missing) return { files }
  return outside(first)
}

/** `from module import name`: the module `module.name`, or what `module` has of that name. */
function part(project: Project, { from, module, name }: { from: string; module: string; name: string }): Resolution {
  const inner =
    name === '*' ? NOWHERE : lookUp(project, from, module.endsWith('.') ? module + name : `${module}.${name}`)
  return inner.files.length > 0 ? inner : whole(project, from, module)
}

const whole = (project: Project, from: string, module: string): Resolution => {
  const found = lookUp(project, from, module)
  const [, dots = '', first = ''] = /^(\.*)([^.]*)/.exec(module) ?? []
  if (found.files.length > 0 || dots !== '') return found
  return rootOf(project, from, first) === undefined ? outside(first) : found
}

function lookUp({ tree, config }: Project, from: string, module: string): Resolution {
  const [, dots = '', name = ''] = /^(\.*)(.*)$/.exec(module) ?? []
  const path = name.replaceAll('.', '/')
  if (dots !== '') {
    const base = join(folderOf(from), '../'.repeat(dots.length - 1) || '.')
    return base === undefined ? NOWHERE : at(tree, under(base, path).replace(/\/$/, ''))
  }
  const root = rootOf({ tree, config }, from, path.split('/', 1)[0] ?? '')
  return root === undefined ? NOWHERE : at(tree, under(root, path))
}

const at = (tree: Tree, path: string): Resolution => {
  const found = firstFile(tree, [under(path, '__init__.py'), `${path}.py`, `${path}.pyi`, under(path, '__init__.pyi')])
  if (found !== undefined) return { files: [found] }
  const compiled = /^(.*\/)?([^/]+)$/.exec(path)
  const made =
    compiled && ['.pyx', '.so', '.pyd', '.c', '.rs'].map(ending => path + ending).find(one => tree.files.has(one))
  return made === undefined || made === null ? NOWHERE : { files: [made] }
}

/** The directory from which a name at the beginning of a module is a file or a package, the nearest first. */
function rootOf({ tree, config }: Project, from: string, first: string): string | undefined {
  if (first === '') return undefined
  const above = upwards(folderOf(from)).filter(folder => folder === '' || !isPackage(tree, folder))
  const places = [
    ...above.flatMap(folder => SOURCES.map(source => under(folder, source).replace(/\/$/, ''))),
    ...config.pythonRoots,
  ]
  const isHere = (folder: string): boolean =>
    at(tree, under(folder, first)).files.length > 0 && !(folder !== '' && isPackage(tree, folder))
  const regular = places.find(isHere)
  if (regular !== undefined || PYTHON_LIBRARY.has(first)) return regular
  return places.find(folder => isNamespace(tree, under(folder, first)))
}

const isPackage = ({ files }: Tree, folder: string): boolean => files.has(under(folder, '__init__.py'))

const DEEPEST = 3

/** A directory without a file of its own for that, but with modules in it. */
function isNamespace(tree: Tree, folder: string, depth = 0): boolean {
  if (!tree.folders.has(folder) || depth > DEEPEST) return false
  if ((tree.inFolder.get(folder) ?? []).some(file => /\.pyi?$/.test(file))) return true
  return (tree.inside.get(folder) ?? []).some(below => isNamespace(tree, below, depth + 1))
}
