import { CODED, FRAMEWORKS, LANGUAGES } from './settings.ts'

const text = (description: string): object => ({ type: 'string', minLength: 1, description })
const texts = (description: string): object => ({ type: 'array', items: { type: 'string' }, description })
const oneOf = (values: readonly string[], description: string): object => ({ enum: values, description })

/** An object that has these members; those whose names end in `?` may be missing. */
function object(members: Readonly<Record<string, object>>, description?: string): object {
  const named = Object.entries(members).map(([name, schema]) => [name.replace(/\?$/, ''), schema] as const)
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(named),
    required: Object.keys(members).filter(name => !name.endsWith('?')),
    additionalProperties: false,
  }
}

const list = (items: object, description: string): object => ({ type: 'array', items, description })

const LEVELS = ['high', 'medium', 'low']

const codeExample = object({
  language: oneOf([...LANGUAGES, 'any'], 'What it is written in'),
  framework: oneOf(FRAMEWORKS, 'What it is written for'),
  description: text('What it shows'),
  'vulnerable_code?': text('The same without the protection'),
  'secure_code?': text('The code to start from'),
})

const mitigation = object({
  id: text('Such as MIT-007a'),
  name: text('What is done'),
  description: text('How it works'),
  effectiveness: oneOf(['very high', ...LEVELS], 'How much it helps'),
  implementation_effort: oneOf(LEVELS, 'What it costs'),
  'tradeoffs?': texts('What speaks against it'),
  'code_examples?': list(codeExample, 'Code that shows it'),
})

const attackScenario = object({
  narrative: text('The attack in a sentence; required in tier A'),
  preconditions: texts('What the attacker needs'),
  steps: list(
    object({ step: { type: 'integer' }, action: text('What is done'), detail: text('And how') }),
    'What happens, in order',
  ),
  impact: object({
    confidentiality: text('high, medium, low or none'),
    integrity: text('The same'),
    availability: text('The same'),
    scope: text('How much is affected'),
    'business_impact?': text('What it costs the company'),
  }),
})

const triggers = object(
  {
    keywords: texts('Words and phrases that make the pattern relevant, in this order of words'),
    'actions?': texts('Phrases whose words may stand anywhere'),
    'file_patterns?': texts('Globs of paths that are mentioned'),
    'phrases?': text('Further words and phrases, separated by semicolons'),
  },
  'What in a description of the work makes the pattern relevant',
)

const reference = object({
  'cwe?': text('Such as CWE-639'),
  'owasp?': text('Such as API1:2023'),
  name: text('Its title'),
  url: text('Where it is described'),
})

const pattern = object(
  {
    id: { type: 'string', pattern: '^[A-Z]+(?:-[A-Z0-9]+)+$', description: 'Capitals and digits joined by hyphens' },
    name: text('What goes wrong, in a few words'),
    tier: oneOf(['A', 'B'], 'A: worked out in full. B: shorter'),
    'version?': text('Of the pattern'),
    'last_updated?': text('A date'),
    category: text('Such as authorization'),
    'subcategory?': text('Such as object-references'),
    language: oneOf([...LANGUAGES, 'any'], 'Where it was seen'),
    framework: oneOf(FRAMEWORKS, 'Where it was seen'),
    severity: oneOf(['critical', ...LEVELS], 'How bad it is'),
    likelihood: oneOf(LEVELS, 'How often it is met'),
    'generalizes_to?': texts('Other settings it holds in, each language/framework'),
    'provenance?': object({
      source_type: text('Such as generalized_observation'),
      description: text('Where it comes from'),
      public_references: list(reference, 'What others call it'),
    }),
    'triggers?': triggers,
    'differentiation?': object({
      llm_knowledge_state: text('What a model does without being asked'),
      tmkb_value: text('What this adds'),
      llm_blindspots: texts('What a model forgets'),
    }),
    description: text('The threat in a paragraph'),
    agent_summary: object(
      { threat: text('What goes wrong'), check: text('What to look for'), fix: text('What to do') },
      'What an agent reads; at most 400 characters together',
    ),
    'attack_scenario?': attackScenario,
    mitigations: { ...list(mitigation, 'Ways to stop it'), minItems: 1 },
    'security_principles?': texts('What it comes from'),
    'related_patterns?': list(
      object({ id: text('Of another pattern'), relationship: text('Such as variant'), description: text('Why') }),
      'Patterns to read next',
    ),
    'testing?': object({
      manual_verification: texts('What to try by hand'),
      automated_checks: texts('What a test does'),
    }),
    'validation?': object({ baseline_test: text('What a model writes without this') }),
  },
  'One threat, under the key threat_pattern of a YAML file',
)

const sample = object({
  secure: text('The code to start from'),
  unsafe: list(
    { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
    'Changes that take the protection away, each a text in the code and what replaces it',
  ),
})

const samples = {
  type: 'object',
  description: 'A file of samples beside patterns: by the id of the mitigation that they show',
  additionalProperties: object({
    about: text('What the samples show'),
    ...Object.fromEntries(Object.keys(CODED).map(framework => [`${framework}?`, sample])),
  }),
}

const brief = object({
  id: text('Of the pattern'),
  severity: oneOf(['critical', ...LEVELS], 'How bad it is'),
  threat: text('What goes wrong'),
  check: text('What to look for'),
  fix: text('What to do'),
})

const count = (description: string): object => ({ type: 'integer', minimum: 0, description })

const answer = object(
  {
    pattern_count: count('How many patterns match'),
    patterns_included: count('How many of them are here'),
    'token_count?': count('About how many tokens the patterns have'),
    'token_limit_reached?': { const: true, description: 'Fewer patterns than match were returned' },
    'patterns?': list(brief, 'The most relevant first'),
    'code_pattern?': object({
      language: text('What it is written in'),
      framework: text('What it is written for'),
      secure_template: text('Code to start from'),
    }),
    'advice?': text('What to do in a framework that there is no code for'),
    'hint?': text('What would match, where nothing does'),
    'not_covered?': text('What the query asks about that is not about authorization'),
    'nearest?': list(object({ id: text('Of a pattern'), name: text('Its name') }), 'What comes nearest'),
  },
  'What tmkb_query answers an agent',
)

/** What can be described: as a JSON Schema each. */
export const SCHEMAS: Readonly<Record<string, object>> = { pattern, samples, answer }
