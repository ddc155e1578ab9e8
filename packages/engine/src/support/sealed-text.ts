import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16

/** How a text is sealed: AES-256-GCM under `key` (32 bytes), for `context` only. */
export interface SealedFor {
  readonly key: Buffer
  readonly context: Buffer
}

/** Seal a text so that only the holder of the key can read it, or change it unnoticed. */
export function sealText(text: string, { key, context }: SealedFor): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(context)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** The text that was sealed; undefined if it was changed, or sealed with another key or for another context. */
export function openSealed(sealed: string, { key, context }: SealedFor): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  // Decoding is lenient, so a changed string could stand for the same bytes: only the one we wrote is ours.
  if (bytes.toString('base64url') !== sealed || bytes.length <= IV_BYTES + TAG_BYTES) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(context)
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
