import { posix } from 'node:path'
import type { Language } from '../analysis/parse/grammar.ts'
import { resolveImport } from '../structure/resolve.ts'
import type { Facts } from './facts.ts'

const STANDARD = new Set(['std', 'core', 'alloc', 'proc_macro', 'test'])

/** The part of an import that says where from. */
export function moduleOf(written: string, language: Language): string {
  if (language === 'python') return written.replace(/\s+/g, ' ')
  if (language === 'rust') return written.replace(/^(?:pub(?:\([^)]*\))?\s+)?use\s+|;\s*$/g, '')
  const [, module = written] = /(?:from|require\s*\(|import\s*\()\s*["'`]([^"'`]+)["'`]/.exec(written) ?? []
  return module
}

/** The files that an import means, as everybody knows them. */
export function importedFiles({ known, language, manifest }: Facts, file: string, written: string): readonly string[] {
  const found = resolveImport(file, written, known)
  if (found.length > 0) return found
  if (language === 'python') return byEnd(known.files, pythonPaths(written))
  if (language === 'go') return inFolder(known.files, written)
  if (language !== 'rust') return []
  const beside = resolveImport(file, `self::${written}`, known)
  if (beside.length > 0) return beside
  const [, crate = ''] = /^\s*name\s*=\s*"([^"]+)"/m.exec(manifest) ?? []
  const own = crate.replaceAll('-', '_')
  if (own === '' || !written.startsWith(`${own}::`)) return []
  const inside = resolveImport('src/lib.rs', `crate${written.slice(own.length)}`, known)
  return inside.length > 0 ? inside : known.files.has('src/lib.rs') ? ['src/lib.rs'] : []
}

/** `from app.models import User` may mean `backend/app/models.py`. */
function pythonPaths(written: string): string[] {
  const [, module = '', names = ''] = /^from ([\w.]+) import (.*)$/.exec(written) ?? []
  if (module !== '') {
    const parts = names.split(/[(),\s]+/).filter(name => /^\w+$/.test(name))
    return [...parts.map(part => `${module}.${part}`), module]
  }
  const [, plain = ''] = /^import ([\w.]+)/.exec(written) ?? []
  return [plain]
}

function byEnd(files: ReadonlySet<string>, modules: readonly string[]): string[] {
  const ends = modules
    .filter(module => /^\w/.test(module))
    .flatMap(module => [`/${module.replaceAll('.', '/')}.py`, `/${module.replaceAll('.', '/')}/__init__.py`])
  return [...files].filter(file => ends.some(end => `/${file}`.endsWith(end)))
}

/** A package of Go is a folder: the longest end of its path that is one here. */
function inFolder(files: ReadonlySet<string>, written: string): string[] {
  const parts = written.split('/')
  for (let i = 0; i < parts.length; i++) {
    const folder = parts.slice(i).join('/')
    const found = [...files].filter(file => `/${posix.dirname(file)}`.endsWith(`/${folder}`))
    if (found.length > 0 && i > 0) return found
  }
  return []
}

/** Does an import that leads to no file here certainly lead out of the project? */
export function isFromOutside({ language, manifest }: Facts, written: string): boolean {
  switch (language) {
    case 'javascript':
    case 'typescript':
    case 'tsx':
      return /^node:/.test(written) || isDependency(written, manifest) || isOfNode(written)
    case 'rust': {
      const [first = ''] = written.split('::')
      return (
        !/^(?:crate|self|super)$/.test(first) &&
        (STANDARD.has(first) || manifest.includes(first.replaceAll('_', '-')) || manifest.includes(`${first} `))
      )
    }
    case 'python':
      return !/^from \./.test(written)
    default:
      return true
  }
}

const isOfNode = (name: string): boolean =>
  /^(?:assert|async_hooks|buffer|child_process|cluster|console|crypto|dgram|dns|events|fs|http|http2|https|module|net|os|path|perf_hooks|process|querystring|readline|stream|string_decoder|test|timers|tls|tty|url|util|v8|vm|worker_threads|zlib)(?:\/|$)/.test(
    name,
  )

/** Listed, and not as a part of this repository. */
function isDependency(written: string, manifest: string): boolean {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(written)?.[0] ?? written
  const [, version] =
    new RegExp(`"${name.replace(/[.*+?^$()[\]\\{}|]/g, String.raw`\$&`)}"\\s*:\\s*"([^"]*)"`).exec(manifest) ?? []
  return version !== undefined && !/^(?:workspace|file|link|\*)/.test(version)
}
