// What our own packages share. Not part of the API: it may change in any release.
export { isObject } from './support/is-object.ts'
export { canonicalJson } from './support/canonical-json.ts'
export { within } from './support/deadline.ts'
export { openSealed, sealText } from './support/sealed-text.ts'
export type { SealedFor } from './support/sealed-text.ts'
export { parseDuration, parseSize } from './support/units.ts'
