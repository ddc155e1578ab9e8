import { tool } from '@causeway/engine'
import type { Feature, Tool } from '@causeway/engine'
import type { Source } from './browse.ts'
import { parsePattern } from './knowledge/files.ts'
import { SCHEMAS } from './knowledge/schema.ts'
import { findingsIn } from './knowledge/validate.ts'

const READING = { readOnly: true, idempotent: true, openWorld: false } as const
const LONGEST = 50_000

/** The knowledge base about itself: check a pattern before it is added, and read what a pattern consists of. */
export const introspection = (patterns: Source): Feature[] => [tmkbValidate(patterns), tmkbSchema()]

const tmkbValidate = (patterns: Source): Tool =>
  tool(
    {
      name: 'tmkb_validate',
      title: 'Validate a threat pattern',
      description:
        'Checks a threat pattern that you wrote, as YAML or JSON: what is missing or not allowed, what should be there, ' +
        'and whether its ids clash with the patterns there are.',
      ...READING,
      input: {
        type: 'object',
        properties: {
          pattern: {
            type: 'string',
            minLength: 1,
            maxLength: LONGEST,
            description: 'The text of the file, with the one key threat_pattern; tmkb_schema describes it',
          },
        },
        required: ['pattern'],
        additionalProperties: false,
      },
    },
    async ({ pattern: text }) => {
      const { pattern, problem } = await parsed(text)
      const found = problem === undefined ? findingsIn(pattern) : [{ level: 'error', what: problem } as const]
      const clashes =
        problem === undefined
          ? clashesOf(
              pattern,
              (await patterns()).map(({ id }) => id),
            )
          : []
      const findings = [...found, ...clashes]
      return { valid: findings.every(({ level }) => level !== 'error'), findings }
    },
  )

async function parsed(text: string): Promise<{ pattern?: unknown; problem?: string }> {
  try {
    return { pattern: await parsePattern(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** An id that is taken already, and relatives that are not there. */
function clashesOf(pattern: unknown, ids: readonly string[]): { level: 'error' | 'warning'; what: string }[] {
  const { id, related_patterns: related } = (pattern ?? {}) as Readonly<Record<string, unknown>>
  const unknown = (Array.isArray(related) ? related : [])
    .map((one: unknown) => (one as { id?: unknown } | null)?.id)
    .filter(other => typeof other === 'string' && other !== id && !ids.includes(other))
  return [
    ...(typeof id === 'string' && ids.includes(id)
      ? [{ level: 'warning', what: `id '${id}' is taken by a pattern of the knowledge base` } as const]
      : []),
    ...unknown.map(
      other => ({ level: 'error', what: `related_patterns names '${String(other)}', which there is not` }) as const,
    ),
  ]
}

const tmkbSchema = (): Tool =>
  tool(
    {
      name: 'tmkb_schema',
      title: 'Describe the knowledge base',
      description:
        'Returns the JSON Schema of a threat pattern, of a file of code samples, or of the answer of tmkb_query.',
      ...READING,
      input: {
        type: 'object',
        properties: {
          of: {
            type: 'string',
            enum: Object.keys(SCHEMAS),
            default: 'pattern',
            description: 'What to describe',
          },
        },
        additionalProperties: false,
      },
    },
    given => SCHEMAS[(given as { of?: string }).of ?? 'pattern'] ?? {},
  )
