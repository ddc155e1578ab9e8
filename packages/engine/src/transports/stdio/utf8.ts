import { isUtf8 } from 'node:buffer'

/** Bytes as text; undefined if they are no UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString()
  // What cannot be decoded becomes U+FFFD, which may also have been sent as such.
  return text.includes('\uFFFD') && !isUtf8(bytes) ? undefined : text
}
