import { createHash } from 'node:crypto'

/** What a page says. */
export interface LoginPage {
  readonly status: number
  readonly title: string
  readonly lines: readonly string[]
  /** A form that asks for the token of the principal. */
  readonly wantsToken?: boolean
  /** The issuer at which the principal can log in instead. */
  readonly issuer?: string | undefined
  /** Where to go on. */
  readonly next?: { readonly url: string; readonly label: string }
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:4em auto;padding:0 1em}' +
  'input,button{font:inherit;padding:.4em .6em}input{width:22em;max-width:100%}'

// No script, nothing from elsewhere, in no frame; a form goes to this page only.
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** The headers of every answer to a browser. The address of a page is told to no other site. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** A page as HTML. */
export function htmlOf({ title, lines, wantsToken, issuer, next }: LoginPage): string {
  // A redirect after a form would need every authorization server in the policy of the page.
  const refresh = next ? `<meta http-equiv="refresh" content="0;url=${escaped(next.url)}">` : ''
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">',
    `${refresh}<title>${escaped(title)}</title><style>${STYLE}</style></head>`,
    `<body><h1>${escaped(title)}</h1>`,
    ...lines.map(line => `<p>${escaped(line)}</p>`),
    ...(issuer === undefined ? [] : [issuerForm(issuer)]),
    ...(wantsToken ? [FORM] : []),
    ...(next ? [`<p><a rel="noreferrer" href="${escaped(next.url)}">${escaped(next.label)}</a></p>`] : []),
    '</body></html>',
  ].join('\n')
}

const FORM =
  '<form method="post"><p><label for="token">Token</label><br>' +
  '<input id="token" name="token" type="password" autocomplete="off" required maxlength="16384" autofocus></p>' +
  '<p><button type="submit">Continue</button></p></form>'

const issuerForm = (issuer: string): string =>
  '<form method="post"><input type="hidden" name="at" value="issuer">' +
  `<p><button type="submit">Log in at ${escaped(new URL(issuer).host)}</button></p></form>`

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
