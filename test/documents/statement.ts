import type { World } from './world.ts'

/** How a statement of a document is known to hold. */
export type Proof =
  | { readonly kind: 'rows'; readonly titles: readonly string[] }
  | { readonly kind: 'check'; readonly run: (world: World) => unknown }
  | { readonly kind: 'tested'; readonly file: string; readonly title: string }
  | { readonly kind: 'differs'; readonly why: string; readonly titles: readonly string[] }
  | { readonly kind: 'unverifiable'; readonly why: string }

/** A checkable statement of a document, in short, and its proof. */
export interface Statement {
  readonly says: string
  readonly proof: Proof
}

/** Proved by rows of the same document, named by their titles. */
export const rows = (...titles: readonly string[]): Proof => ({ kind: 'rows', titles })

/** Proved by something to do with the running command. */
export const check = (run: (world: World) => unknown): Proof => ({ kind: 'check', run })

/** Proved by another test of this repository, whose title has these words. */
export const tested = (file: string, title: string): Proof => ({ kind: 'tested', file, title })

/** Not so, on purpose; rows of the same document show what happens instead. */
export const differs = (why: string, ...titles: readonly string[]): Proof => ({ kind: 'differs', why, titles })

/** Nothing a test could see. */
export const unverifiable = (why: string): Proof => ({ kind: 'unverifiable', why })
