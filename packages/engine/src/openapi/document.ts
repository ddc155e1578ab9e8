import { upgrade } from '@scalar/openapi-upgrader'
import { isObject } from '../support/is-object.ts'

/** A JSON object of a document, whatever is in it. */
export type Json = Readonly<Record<string, unknown>>

/** Why a document, or a part of it, cannot be used, in words for the person who named it. */
export class DocumentProblem extends Error {
  override readonly name = 'DocumentProblem'
}

const MOST_CHARACTERS = 64_000_000
const MOST_VALUES = 3_000_000
const DEEPEST = 100

/** An OpenAPI document of any version as one of 3.1: an object, or its JSON text. */
export function readDocument(given: string | object): Json {
  const document = typeof given === 'string' ? fromText(given) : structuredClone(given)
  if (!isObject(document)) throw new DocumentProblem('This is not an OpenAPI document: it is not an object')
  checkVersion(document)
  checkSize(document)
  if (!isObject(document.paths) || Object.keys(document.paths).length === 0)
    throw new DocumentProblem("This OpenAPI document has no operations: 'paths' is missing or empty")
  try {
    return upgrade(document, '3.1')
  } catch (cause) {
    throw new DocumentProblem(`This OpenAPI document cannot be converted to 3.1: ${wordsOf(cause)}`, { cause })
  }
}

function fromText(text: string): unknown {
  if (text.length > MOST_CHARACTERS)
    throw new DocumentProblem(`This OpenAPI document is larger than ${MOST_CHARACTERS / 1e6} MB`)
  const bare = text.replace(/^\uFEFF/, '')
  try {
    return JSON.parse(bare)
  } catch (cause) {
    throw new DocumentProblem(`This is not JSON: ${wordsOf(cause)}`, { cause })
  }
}

const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 300) ?? ''

function checkVersion({ openapi, swagger }: Json): void {
  const version = openapi ?? swagger
  const given = typeof version === 'number' ? version.toFixed(1) : version
  if (typeof given === 'string' && /^(?:2\.0|3\.[012](?:\.|$))/.test(given)) return
  if (given === undefined)
    throw new DocumentProblem(
      "This is not an OpenAPI document: it has neither 'openapi' (3.0, 3.1) nor 'swagger' (2.0) at its top level",
    )
  throw new DocumentProblem(
    `OpenAPI version ${JSON.stringify(given).slice(0, 40)} is not supported. Use 2.0 (Swagger), 3.0 or 3.1.`,
  )
}

/** Of YAML, one value may stand in many places, even in itself. */
function checkSize(document: Json): void {
  let left = MOST_VALUES
  let level: unknown[] = [document]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw new DocumentProblem(`This OpenAPI document is nested more than ${DEEPEST} levels deep`)
    const next: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      if (Object.hasOwn(value, '__proto__')) throw new DocumentProblem("A key of the document is '__proto__'")
      for (const inner of Object.values(value)) next.push(inner)
      left -= 1
      if (left - next.length < 0) throw new DocumentProblem(`This OpenAPI document has more than ${MOST_VALUES} values`)
    }
    left -= next.length
    level = next
  }
}
