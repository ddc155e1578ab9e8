import type { VNode } from 'preact'
import type { Schema } from '../schema/schema.ts'

/** One field: its name, its schema, and what stands in it. */
export interface FieldProps {
  readonly name: string
  readonly id: string
  /** Resolved. */
  readonly schema: Schema
  readonly root: Schema
  readonly value: unknown
  readonly required: boolean
  change(value: unknown): void
  /** What the server proposes for what was typed so far. */
  readonly complete?: ((typed: string) => Promise<readonly string[]>) | undefined
  /** Draws the fields inside this one. */
  readonly draw: (props: FieldProps) => VNode
}
