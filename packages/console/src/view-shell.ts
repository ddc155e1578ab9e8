import type { Route } from '@causeway/engine/http'

/** The query parameters of the shell, and the directives that get the origins in them. */
const DIRECTIVES = {
  connect: ['connect-src'],
  resource: ['script-src', 'style-src', 'img-src', 'font-src', 'media-src'],
  frame: ['frame-src'],
  base: ['base-uri'],
} as const

const ALWAYS: Readonly<Record<string, string>> = {
  'script-src': "'unsafe-inline'",
  'style-src': "'unsafe-inline'",
  'img-src': 'data: blob:',
  'font-src': 'data:',
  'media-src': 'data: blob:',
}
// Anything else could end its directive and begin another one.
const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::(?:\d{1,5}|\*))?$/i
const MOST_ORIGINS = 30

// It takes one document from the page that it is a frame of, and becomes that document; the policy stays.
const SHELL = `<!doctype html>
<meta charset="utf-8">
<title>View</title>
<script>
addEventListener('message', event => {
  if (event.source !== parent || parent === window || event.origin !== location.origin) return
  if (typeof event.data !== 'object' || event.data === null || typeof event.data.html !== 'string') return
  const { html } = event.data
  document.open()
  document.write(html)
  document.close()
})
parent.postMessage({ shell: 'ready' }, location.origin)
</script>
`

/**
 * The frame in which the page shows a view. The policy makes its origin an opaque one, wherever it is opened: no
 * cookies, no storage, no way to the page but messages; and it may load from the origins in its address alone.
 */
export const viewShell: Route = {
  method: 'GET',
  path: '/console/view',
  public: true,
  handle(exchange) {
    const policy = policyFor(name => exchange.query(name))
    if (policy === undefined)
      return exchange.reply(400, 'A parameter must be a list of origins, with spaces between them\n')
    exchange.reply(200, SHELL, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'SAMEORIGIN',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
      'Cache-Control': 'no-store',
    })
  },
}

/** The policy of a view; undefined if an origin is none. */
export function policyFor(query: (name: string) => string | undefined): string | undefined {
  const sources = new Map<string, string>(Object.entries(ALWAYS))
  for (const [name, directives] of Object.entries(DIRECTIVES)) {
    const origins = (query(name) ?? '').split(' ').filter(Boolean)
    if (origins.length > MOST_ORIGINS || !origins.every(origin => ORIGIN.test(origin))) return undefined
    if (origins.length === 0) continue
    for (const directive of directives)
      sources.set(directive, [sources.get(directive), ...origins].filter(Boolean).join(' '))
  }
  return [
    "default-src 'none'",
    ...[...sources].map(([directive, list]) => `${directive} ${list}`),
    ...(sources.has('base-uri') ? [] : ["base-uri 'none'"]),
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; ')
}
