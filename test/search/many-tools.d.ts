/** One source of many, with its tools. */
export interface ManySource {
  readonly name: string
  readonly tools: { readonly name: string; readonly description: string; readonly inputSchema: object }[]
}

/** As many tools as asked for, spread over as many sources; the same ones every time. */
export function manyTools(count: number, sources: number): ManySource[]

/** What one may look for among them. */
export const QUERIES: readonly string[]
