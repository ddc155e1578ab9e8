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
export function importedFiles(facts: Facts, file: string, written: string): readonly string[] {
  const { known, language, target } = facts
  if (language === 'rust')
    return rustPaths(written, target.definition.name).flatMap(path => rustFiles(facts, file, path))
  const found = resolveImport(file, written, known)
  if (found.length > 0) return found
  if (language === 'python') return byEnd(known.files, pythonPaths(written))
  return language === 'go' ? inFolder(known.files, written) : []
}

function rustFiles({ known, manifest }: Facts, file: string, path: string): readonly string[] {
  const [, crate = ''] = /^\s*name\s*=\s*"([^"]+)"/m.exec(manifest) ?? []
  const own = crate.replaceAll('-', '_')
  const [first = '', ...rest] = path.split('::')
  const [, source = 'src'] = /^(.*?(?:^|\/)src)\//.exec(file) ?? []
  const isOwn = first === 'crate' || (own !== '' && first === own)
  const [from, asked] = isOwn ? [`${source}/lib.rs`, ['crate', ...rest].join('::')] : [file, path]
  const found = resolveImport(from, asked, known)
  if (found.length > 0) return found
  if (isOwn) return [`${source}/lib.rs`, `${source}/main.rs`].filter(root => known.files.has(root))
  return /^(?:self|super)$/.test(first) ? [] : resolveImport(file, `self::${path}`, known)
}

/** `crate::{db::{Db, open}, Frame}` names `crate::db::open`; with everything that it takes by `*`. */
function rustPaths(written: string, name: string): string[] {
  const paths = branches(written.replace(/\s+/g, ' '), '')
  const fit = paths.filter(path => path.endsWith(`::${name}`) || path.endsWith('::*') || path === name)
  return (fit.length > 0 ? fit : [written]).map(path => path.replace(/::\*$/, ''))
}

function branches(text: string, before: string): string[] {
  const open = text.indexOf('{')
  if (open < 0)
    return [
      (before + text)
        .trim()
        .replace(/ as .*$/, '')
        .replace(/\s/g, ''),
    ]
  const head = text.slice(0, open).trim()
  const parts: string[] = []
  let depth = 0
  let start = open + 1
  for (let at = open; at < text.length; at++) {
    const sign = text[at]
    if (sign === '{') depth += 1
    if (sign === '}') depth -= 1
    if ((sign === ',' && depth === 1) || (sign === '}' && depth === 0)) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return parts.filter(part => part.trim() !== '').flatMap(part => branches(part.trim(), before + head))
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
  const ends = modules.flatMap(module =>
    /^\w/.test(module) ? ['.py', '/__init__.py'].map(end => `/${module.replaceAll('.', '/')}${end}`) : [],
  )
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
  if (/^(?:javascript|typescript|tsx)$/.test(language))
    return written.startsWith('node:') || isDependency(written, manifest) || isOfNode(written)
  if (language === 'python') return !written.startsWith('from .')
  if (language !== 'rust') return true
  const [first = ''] = written.split('::')
  const isListed = manifest.includes(first.replaceAll('_', '-')) || manifest.includes(`${first} `)
  return !/^(?:crate|self|super)$/.test(first) && (STANDARD.has(first) || isListed)
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
