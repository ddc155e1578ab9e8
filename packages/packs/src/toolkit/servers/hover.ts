import type { Desk } from './language-servers.ts'

/** A name in a file, by its real path and its place in the text. */
export interface NamedPlace {
  readonly path: string
  readonly name: string
  readonly at: number
}

const LONGEST = 2000

/** What a server says that a name is: its type, or its declaration. */
export async function typeAt(desk: Desk, { path, name, at }: NamedPlace): Promise<string | undefined> {
  const [document] = await desk.documents.show([path])
  if (document?.positions.text.startsWith(name, at) !== true) return undefined
  if (desk.kind.name === 'clangd') await desk.settled([document])
  const position = document.positions.positionAt(at)
  const answer = await desk.ask('textDocument/hover', { textDocument: { uri: document.uri }, position })
  const { contents } = (answer ?? {}) as { contents?: unknown }
  const words = (Array.isArray(contents) ? contents : [contents]).map(textIn).filter(Boolean).join('\n')
  // Fences and rules are for people who see them drawn.
  const plain = words.replace(/^(?:```.*|-{3,})$\n?/gm, '').trim()
  return plain === '' ? undefined : plain.slice(0, LONGEST)
}

const textIn = (one: unknown): string => {
  const value = one instanceof Object && 'value' in one ? one.value : one
  return typeof value === 'string' ? value.slice(0, LONGEST) : ''
}
