import type { Jail } from '../../support/files/jail.ts'
import { locationsIn } from './answers.ts'
import type { Location } from './answers.ts'
import type { Document } from './documents.ts'
import type { Desk } from './language-servers.ts'

/** A definition, and the files that have its name. */
export interface Sought {
  readonly name: string
  /** Real paths of files with the name, those with a definition first. */
  readonly files: readonly string[]
  /** Where it is defined, by real paths and offsets. */
  readonly definitions: readonly { readonly path: string; readonly at: number }[]
}

/** What a server knows of the uses of a name. */
export interface Known {
  /** The files that it was shown, and so judged. */
  readonly documents: ReadonlyMap<string, Document>
  /** Its references, by the real path of the file. */
  readonly places: ReadonlyMap<string, readonly Location[]>
  /** How many lie outside of the roots. */
  readonly outside: number
}

const MOST_FILES = 200

/** Show a server the files that have a name, and ask for the references of its definitions. */
export async function referencesOf(desk: Desk, jail: Jail, sought: Sought): Promise<Known | undefined> {
  const shown = await desk.documents.show(sought.files.slice(0, MOST_FILES))
  if (desk.kind.name === 'clangd') await desk.settled(shown)
  const documents = new Map(shown.map(document => [document.path, document]))
  const found: Location[] = []
  for (const { path, at } of sought.definitions) {
    const document = documents.get(path)
    if (document?.positions.text.startsWith(sought.name, at) !== true) continue
    const answer = await desk.ask('textDocument/references', {
      textDocument: { uri: document.uri },
      position: document.positions.positionAt(at),
      context: { includeDeclaration: true },
    })
    found.push(...locationsIn(answer))
  }
  // One that does not even know the definition has nothing to say of its uses.
  return found.length === 0 ? undefined : { documents, ...(await sorted(jail, found)) }
}

/** Places by their file, those outside of the roots counted only. */
async function sorted(jail: Jail, found: readonly Location[]): Promise<Omit<Known, 'documents'>> {
  const real = new Map<string, string | undefined>()
  const places = new Map<string, Location[]>()
  let outside = 0
  for (const one of found) {
    if (!real.has(one.path)) real.set(one.path, await jail.resolve(one.path).catch(() => undefined))
    const path = real.get(one.path)
    if (path === undefined) outside += 1
    else places.set(path, [...(places.get(path) ?? []), one])
  }
  return { places, outside }
}

/** Does a place of the server begin, or cover, this one? */
export function isAmong(places: readonly Location[], document: Document, at: number): boolean {
  const { line, character } = document.positions.positionAt(at)
  return places.some(
    ({ range: { start, end } }) =>
      start.line === line && start.character <= character && (end.line > line || character < end.character),
  )
}
