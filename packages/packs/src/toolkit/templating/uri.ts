import { RpcError, didYouMean } from '@causeway/engine'
import { uriOf } from './catalog.ts'
import type { FileTemplate } from './template.ts'

const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const INVALID_PARAMS = -32602
const FORM = 'template://CATEGORY/TOOLCHAIN/VARIANT'

/** Take a template's URI apart; one that does not have the form, or that tries to lead out of it, is malformed. */
export function parseUri(uri: string): Pick<FileTemplate, 'category' | 'toolchain' | 'variant'> {
  const [, rest] = /^template:\/\/(.*)$/s.exec(uri) ?? []
  const segments = rest?.split('/') ?? []
  const [category = '', toolchain = '', variant = ''] = segments
  if (segments.length === 3 && segments.every(s => SEGMENT.test(s) && !s.includes('..'))) {
    return { category, toolchain, variant }
  }
  throw malformed(uri)
}

/** The refusal of a URI that is none of a template. */
const malformed = (uri: string): Error =>
  new RpcError(INVALID_PARAMS, `Invalid template URI: ${cut(uri)}. It must have the form ${FORM}`, undefined, {
    kind: 'malformed-template-uri',
  })

/** The template behind a URI. */
export function findTemplate(catalog: readonly FileTemplate[], uri: string): FileTemplate {
  const wanted = uriOf(parseUri(uri))
  const found = catalog.find(template => template.uri === wanted)
  if (found) return found
  throw notFound(
    `Template not found: ${cut(uri)}`,
    uri,
    catalog.map(template => template.uri),
  )
}

/** The error for an unknown template, with the nearest known ones. */
export function notFound(words: string, wanted: string, known: readonly string[]): Error {
  const hint = didYouMean(wanted, known)
  const options = { kind: 'template-not-found', ...(hint !== undefined && { hint }) }
  return new RpcError(INVALID_PARAMS, words, undefined, options)
}

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
