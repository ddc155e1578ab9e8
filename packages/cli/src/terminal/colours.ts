/** A piece of a line: plain, or with a colour. */
export type Styled = string | { readonly colour: Colour; readonly text: string }

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const

type Colour = keyof typeof CODES

/** Are colours wanted on this stream? `NO_COLOR` switches them off, `FORCE_COLOR` on; else a terminal has them. */
export function hasColours(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return stream.isTTY === true && env.TERM !== 'dumb'
}

/** A piece as it is written; `clean` makes its text harmless. */
export function paint(part: Styled, stream: { readonly isTTY?: boolean }, clean: (text: string) => string): string {
  if (typeof part === 'string') return clean(part)
  const text = clean(part.text)
  return hasColours(stream) ? `\u001B[${CODES[part.colour]}m${text}\u001B[0m` : text
}
