import { createHash } from 'node:crypto'
import { isObject } from '../support/is-object.ts'
import type { SkillFile } from './skill.ts'

/** The digest of bytes, as entries of skills have it. */
export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** The bytes of the one file that `resources/read` gave; undefined where it gave something else. */
export function bytesIn(contents: unknown): Buffer | undefined {
  const [one, ...others] = Array.isArray(contents) ? (contents as unknown[]) : []
  if (!isObject(one) || others.length > 0) return undefined
  if (typeof one.text === 'string') return one.blob === undefined ? Buffer.from(one.text) : undefined
  if (typeof one.blob !== 'string') return undefined
  const bytes = Buffer.from(one.blob, 'base64')
  // Node reads on where base64 is broken: others would read other bytes.
  return bytes.toString('base64') === one.blob ? bytes : undefined
}

/** Why bytes are not those of a file; undefined if they are. */
export function mismatch({ digest, size }: SkillFile, bytes: Uint8Array): string | undefined {
  if (bytes.length !== size) return `it has ${bytes.length} bytes, and ${size} were listed`
  return digestOf(bytes) === digest ? undefined : 'its bytes do not fit the digest that was listed'
}
