import { diagnosticsIn } from './diagnostics.ts'
import type { Diagnostic, RawDiagnostic } from './diagnostics.ts'
import type { Document } from './documents.ts'
import type { Desk } from './language-servers.ts'
import { ServerFailure } from './session.ts'

/** What is wrong with one file, as its server says. */
export interface Diagnosed {
  readonly path: string
  readonly diagnostics: readonly Diagnostic[]
  /** The server said nothing about it in its time. */
  readonly silent?: true
}

// Those at work on many files at once hold all of them.
const BATCH = 25

/** Show a server some files, and take down what it finds wrong with them. */
export async function diagnose(desk: Desk, paths: readonly string[], done: () => void): Promise<Diagnosed[]> {
  const found: Diagnosed[] = []
  for (let at = 0; at < paths.length; at += BATCH) {
    const documents = await desk.documents.show(paths.slice(at, at + BATCH))
    found.push(...(await ofBatch(desk, documents)))
    for (const _ of documents) done()
  }
  return found
}

async function ofBatch(desk: Desk, documents: readonly Document[]): Promise<Diagnosed[]> {
  if (desk.session.command('typescript.tsserverRequest')) return inTurn(documents, one => ofTsserver(desk, one))
  // Some say only later that they can be asked: so all are, and one that cannot says so.
  const asked = await inTurn(documents, one => pulled(desk, one)).catch((error: unknown) => {
    if (error instanceof ServerFailure && error.answered) return undefined
    throw error
  })
  if (asked) return asked
  await desk.settled(documents)
  return documents.map(({ path, uri }) => diagnosed(path, desk.session.heard.of(uri)))
}

async function inTurn(
  documents: readonly Document[],
  ask: (document: Document) => Promise<Diagnosed>,
): Promise<Diagnosed[]> {
  const found: Diagnosed[] = []
  for (const document of documents) found.push(await ask(document))
  return found
}

async function pulled(desk: Desk, { path, uri }: Document): Promise<Diagnosed> {
  const answer = await desk.ask('textDocument/diagnostic', { textDocument: { uri } })
  const { items } = (answer ?? {}) as { items?: unknown }
  return diagnosed(path, Array.isArray(items) ? items : undefined)
}

const TSSERVER = ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync']

/** It publishes what it finds in parts, and does not say which is the last: so its own server is asked. */
async function ofTsserver(desk: Desk, { path }: Document): Promise<Diagnosed> {
  const all: RawDiagnostic[] = []
  for (const request of TSSERVER) {
    const given = [request, { file: path }, {}]
    const answer = await desk.ask('workspace/executeCommand', {
      command: 'typescript.tsserverRequest',
      arguments: given,
    })
    const { body } = (answer ?? {}) as { body?: unknown }
    if (!Array.isArray(body)) return diagnosed(path, undefined)
    all.push(...body.map(one => plainer(one)))
  }
  return diagnosed(path, all)
}

const CATEGORIES = ['error', 'warning']

/** What tsserver says, as the protocol would. */
function plainer(raw: unknown): RawDiagnostic {
  const { start, end, text, code, category } = (raw ?? {}) as Readonly<Record<string, unknown>>
  const at = (value: unknown): object => {
    const { line, offset } = (value ?? {}) as { line?: unknown; offset?: unknown }
    return { line: Number(line) - 1, character: Number(offset) - 1 }
  }
  const severity = CATEGORIES.indexOf(String(category)) + 1 || 3
  return { range: { start: at(start), end: at(end) }, message: text, code, source: 'ts', severity }
}

const diagnosed = (path: string, raw: readonly RawDiagnostic[] | undefined): Diagnosed =>
  raw ? { path, diagnostics: diagnosticsIn(raw) } : { path, diagnostics: [], silent: true }
