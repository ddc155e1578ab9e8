/** A package as `npm pack --json` describes it. */
export interface Packed {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string; readonly size: number }[]
}
export const root: string
export const LIMITS: Readonly<Record<string, { readonly bytes: number; readonly packages: number }>>
export function packAll(to: string, dryRun?: boolean): readonly Packed[]
