import { documents } from '../documents/documents.ts'
import { pending } from '../documents/pending.ts'
import type { Proof } from '../documents/statement.ts'

const HEAD = `# The five documents

Each preset follows a document of another project. What the documents say is in \`test/documents/statements\`, one line per statement; their examples
are in tables beside it, which are replayed against the CLI over the transports that the document names. This page is generated from these tables (\`npm run docs\`).

| preset | document | statements | hold | differ on purpose | nothing to test | pending |
|---|---|---|---|---|---|---|`

interface Difference {
  readonly preset: string
  readonly says: string
  readonly why: string
}

const of = (kind: Proof['kind']): Difference[] =>
  documents.flatMap(({ name, statements }) =>
    statements.flatMap(({ says, proof }) =>
      proof.kind === kind && 'why' in proof ? [{ preset: name, says, why: proof.why }] : [],
    ),
  )

/** Every statement that differs on purpose. */
export const differences = (): readonly Difference[] => of('differs')

const table = (rows: readonly Difference[]): string[] => [
  '| preset | says | why |',
  '|---|---|---|',
  ...rows.map(({ preset, says, why }) => `| \`${preset}\` | ${says.replaceAll('|', '\\|')} | ${why} |`),
]

/** The page about the documents. */
export function documentsPage(): string {
  const rows = documents.map(({ name, title, statements }) => {
    const count = (kind: Proof['kind']): number => statements.filter(({ proof }) => proof.kind === kind).length
    const open = Object.keys(pending[name] ?? {}).length
    const holding = statements.length - count('differs') - count('unverifiable') - open
    const figures = [statements.length, holding, count('differs'), count('unverifiable'), open]
    return `| \`${name}\` | ${title} | ${figures.join(' | ')} |`
  })
  return [
    HEAD,
    ...rows,
    '',
    '## What differs on purpose',
    '',
    'The protocol forbids it, or the document contradicts itself.',
    '',
    ...table(differences()),
    '',
    '## What cannot be tested',
    '',
    ...table(of('unverifiable')),
    '',
  ].join('\n')
}
