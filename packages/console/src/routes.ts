import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Exchange, Route } from '@causeway/engine/http'
import { viewShell } from './view-shell.ts'

const PAGE = fileURLToPath(new URL('../dist/page/', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

// Nothing inline, nothing from elsewhere, in no frame: what a tool returns can be shown but never run.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  'media-src data: blob:',
  // Views, in a frame that is nothing but the shell: neither they nor anything else can have it go elsewhere.
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const GUARDS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

interface Asset {
  readonly type: string
  readonly cache: string
  readonly plain: Buffer
  readonly br: Buffer | undefined
  readonly gzip: Buffer | undefined
}

/** The page and what it loads: static files, public, since they say nothing about the server. */
export function consoleRoutes(folder: string = PAGE): Route[] {
  const assets = readAssets(folder)
  const route = (path: string, name: string): Route => ({
    method: 'GET',
    path,
    public: true,
    handle: exchange => reply(exchange, assets.get(name)),
  })
  const files = [...assets.keys()].map(name => route(name === 'index.html' ? '/' : `/console/${name}`, name))
  return [...files, viewShell]
}

/** All of it is small, and read once. */
function readAssets(folder: string): Map<string, Asset> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/').replace(/^\//, ''))
  const known = new Set(names)
  const content = (name: string): Buffer | undefined => (known.has(name) ? readFileSync(join(folder, name)) : undefined)
  const assets = new Map<string, Asset>()
  for (const name of names) {
    const type = TYPES[name.split('.').at(-1) ?? '']
    if (type === undefined) continue
    // Names of assets carry a digest of what is in them.
    const cache = name === 'index.html' ? 'no-store' : 'public, max-age=31536000, immutable'
    const plain = readFileSync(join(folder, name))
    assets.set(name, { type, cache, plain, br: content(`${name}.br`), gzip: content(`${name}.gz`) })
  }
  return assets
}

function reply(exchange: Exchange, asset: Asset | undefined): void {
  if (!asset) return exchange.reply(404)
  const accepted = exchange.header('accept-encoding') ?? ''
  const encoding = asset.br && /\bbr\b/.test(accepted) ? 'br' : asset.gzip && /\bgzip\b/.test(accepted) ? 'gzip' : ''
  const body = encoding === 'br' ? asset.br : encoding === 'gzip' ? asset.gzip : asset.plain
  exchange.reply(200, body, {
    ...GUARDS,
    'Content-Type': asset.type,
    'Cache-Control': asset.cache,
    Vary: 'Accept-Encoding',
    ...(encoding !== '' && { 'Content-Encoding': encoding }),
  })
}
