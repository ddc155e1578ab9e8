import { didYouMean, prompt, resource, template, tool } from '@causeway/engine'
import type { Feature, Prompt, Resource, Template, Tool } from '@causeway/engine'
import { MOST_PATTERNS } from './answer.ts'
import type { Pattern } from './knowledge/pattern.ts'
import type { Find } from './query.ts'
import { bySeverity, suits } from './ranking/rank.ts'

/** Where the patterns come from. */
export type Source = () => Promise<readonly Pattern[]>

/** What can be chosen where a language or a framework is asked for. */
export interface Choices {
  readonly languages: readonly string[]
  readonly frameworks: readonly string[]
}

const READING = { readOnly: true, idempotent: true, openWorld: false } as const

/** The knowledge base to browse: by id, as a list, as resources, and as a review to start. */
export const browsing = (patterns: Source, find: Find, choices: Choices): Feature[] => [
  tmkbGet(patterns),
  tmkbList(patterns, choices),
  index(patterns),
  onePattern(patterns),
  threatReview(find, choices),
]

const tmkbGet = (patterns: Source): Tool =>
  tool(
    {
      name: 'tmkb_get',
      title: 'Get a threat pattern',
      description: 'Returns one threat pattern in full: attack, mitigations with code, references, tests.',
      ...READING,
      input: {
        type: 'object',
        properties: { id: { type: 'string', minLength: 1, description: 'Its id, such as TMKB-AUTHZ-001' } },
        required: ['id'],
        additionalProperties: false,
      },
    },
    async ({ id }) => byId(await patterns(), id) ?? unknown(await patterns(), id),
  )

const byId = (patterns: readonly Pattern[], id: string): Pattern | undefined =>
  patterns.find(pattern => pattern.id === id.trim().toUpperCase())

function unknown(patterns: readonly Pattern[], id: string): never {
  const ids = patterns.map(pattern => pattern.id)
  const hint = didYouMean(id.toUpperCase(), ids) ?? 'tmkb_list shows the patterns there are.'
  throw new Error(`There is no pattern '${id.slice(0, 100)}'. ${hint}`)
}

const tmkbList = (patterns: Source, { languages, frameworks }: Choices): Tool =>
  tool(
    {
      name: 'tmkb_list',
      title: 'List threat patterns',
      description: 'Lists the threat patterns, the worst first, all of them or those of a language or framework.',
      ...READING,
      input: {
        type: 'object',
        properties: {
          language: { type: 'string', enum: languages, description: 'Only patterns that apply to this language' },
          framework: { type: 'string', enum: frameworks, description: 'Only patterns that apply to this framework' },
          severity: {
            type: 'string',
            enum: ['critical', 'high', 'medium', 'low'],
            description: 'Only patterns of this severity',
          },
        },
        additionalProperties: false,
      },
    },
    async given => {
      const { severity, ...setting } = given as { severity?: string; language?: string; framework?: string }
      const chosen = (await patterns()).filter(
        pattern => suits(pattern, setting) && (severity === undefined || pattern.severity === severity),
      )
      return { count: chosen.length, patterns: chosen.sort(bySeverity).map(line) }
    },
  )

function line({ id, name, severity, likelihood, tier, subcategory, language, framework }: Pattern): object {
  return { id, name, severity, likelihood, tier, subcategory, language, framework }
}

const index = (patterns: Source): Resource =>
  resource(
    {
      uri: 'tmkb://patterns',
      name: 'threat-patterns',
      title: 'Threat patterns',
      description: 'Every threat pattern by id and name; read one of them as tmkb://patterns/{id}.',
      mimeType: 'application/json',
    },
    async () => JSON.stringify((await patterns()).map(line), undefined, 2),
  )

const onePattern = (patterns: Source): Template =>
  template(
    {
      uriTemplate: 'tmkb://patterns/{id}',
      name: 'threat-pattern',
      title: 'Threat pattern',
      description: 'One threat pattern in full.',
      mimeType: 'application/json',
      complete: { id: async typed => startingWith(typed, await patterns()) },
    },
    async ({ id }) => {
      const found = byId(await patterns(), id)
      return found && JSON.stringify(found, undefined, 2)
    },
  )

const startingWith = (typed: string, patterns: readonly Pattern[]): string[] =>
  patterns.map(({ id }) => id).filter(id => id.startsWith(typed.toUpperCase()))

const threatReview = (find: Find, { languages, frameworks }: Choices): Prompt =>
  prompt(
    {
      name: 'threat-review',
      title: 'Threat review',
      description: 'Review something for the authorization threats that are known for what it does.',
      arguments: [
        { name: 'context', description: 'What it does, in a sentence', required: true },
        { name: 'language', description: 'The language it is written in', complete: languages },
        { name: 'framework', description: 'The framework it uses', complete: frameworks },
      ],
    },
    async ({ context, language, framework }) => {
      const { ranked } = await find({ context, language, framework })
      return review(context, ranked.slice(0, MOST_PATTERNS))
    },
  )

function review(context: string, ranked: readonly Pattern[]): string {
  const known = ranked.map(({ id, name, severity, agent_summary: { threat, check, fix }, testing }) =>
    [
      `## ${id}: ${name} (${severity})`,
      `Threat: ${threat}`,
      `Check: ${check}`,
      `Fix: ${fix}`,
      ...(testing?.automated_checks ?? []).map(test => `Test: ${test}`),
    ].join('\n'),
  )
  return [
    `Review the authorization of this: ${context}`,
    known.length > 0
      ? 'Go through the threats below one by one. For each, find the code that decides, say whether it holds and why, ' +
        'with file and line, and write the missing check and a test that fails without it.'
      : 'No threat is known for just this. Name who may call it, what they may see and change, and where that is ' +
        'decided; then look for a way around each decision.',
    ...known,
  ].join('\n\n')
}
