import { didYouMean } from '../schema/nearest.ts'

type FeatureKind = 'tool' | 'prompt' | 'resource' | 'template'

const COMMON = ['name', 'title', 'description', 'icons', '_meta', 'cache']
const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld']

/** What each kind of definition may say. */
const KEYS: Readonly<Record<FeatureKind, readonly string[]>> = {
  tool: [...COMMON, 'input', 'output', ...HINTS, 'task', 'aliases', 'keywords', 'view', 'visibility', 'use'],
  prompt: [...COMMON, 'arguments'],
  resource: [...COMMON, 'uri', 'mimeType', 'size', 'annotations'],
  template: [...COMMON, 'uriTemplate', 'mimeType', 'annotations', 'scheme', 'complete'],
}

/** What others call it, and what it is called here. */
const ELSEWHERE: Readonly<Record<FeatureKind, Readonly<Record<string, string>>>> = {
  tool: {
    inputSchema: "'input'",
    parameters: "'input'",
    schema: "'input'",
    args: "'input'",
    outputSchema: "'output'",
    annotations: "'readOnly', 'destructive', 'idempotent' and 'openWorld'",
    ...Object.fromEntries(HINTS.map(hint => [`${hint}Hint`, `'${hint}'`])),
    run: 'the second argument of tool()',
    handler: 'the second argument of tool()',
    execute: 'the second argument of tool()',
    stream: 'streamTool()',
    sends: 'streamTool()',
  },
  prompt: { argsSchema: "'arguments'", args: "'arguments'" },
  resource: { url: "'uri'", uriTemplate: "'uri', or template() for a family of resources" },
  template: { uri: "'uriTemplate'", template: "'uriTemplate'" },
}

/** Refuse a definition that would not do what its author thinks, in words that say what to write instead. */
export function checkDefinition(kind: FeatureKind, spec: object, run: unknown): void {
  const { name } = spec as { name?: unknown }
  if (typeof name !== 'string') throw new TypeError(`A ${kind} needs a name`)
  const unknown = Object.keys(spec).find(key => key !== 'kind' && !KEYS[kind].includes(key))
  if (unknown !== undefined) throw new TypeError(`${kind}() '${name}': ${unknownKey(kind, unknown)}`)
  if ('cache' in spec) checkCache(`${kind}() '${name}'`, spec.cache)
  checkTask(name, (spec as { task?: unknown }).task)
  if (typeof run !== 'function') throw new TypeError(`${kind}() '${name}' needs a function as its second argument`)
}

const SCOPES: readonly unknown[] = ['public', 'private', undefined]

/** Refuse a hint for caches that clients could not follow. */
function checkCache(where: string, cache: unknown): void {
  if (cache === undefined) return
  const { ttlMs, scope, ...others } = (typeof cache === 'object' && cache !== null ? cache : {}) as Record<
    string,
    unknown
  >
  const [other] = Object.keys(others)
  if (!Number.isSafeInteger(ttlMs) || Number(ttlMs) < 0)
    throw new TypeError(`${where}: 'cache' needs 'ttlMs', a whole number of milliseconds, 0 or more`)
  if (!SCOPES.includes(scope)) throw new TypeError(`${where}: the 'scope' of 'cache' is 'public' or 'private'`)
  if (other !== undefined) throw new TypeError(`${where}: there is no '${other}' in 'cache'. There is ttlMs, scope.`)
}

const TASK_SUPPORT: readonly unknown[] = [undefined, 'never', 'optional', 'required']

function checkTask(name: string, task: unknown): void {
  if (TASK_SUPPORT.includes(task)) return
  const hint = typeof task === 'string' ? ` ${didYouMean(task, ['never', 'optional', 'required']) ?? ''}` : ''
  throw new TypeError(`tool() '${name}': 'task' must be 'never', 'optional' or 'required'.${hint}`.trimEnd())
}

const DIRECTIONS: readonly unknown[] = ['in', 'out', 'duplex']

/** Refuse a tool that does not say which way its bytes go. */
export function checkStream(name: string, stream: unknown): void {
  if (DIRECTIONS.includes(stream)) return
  throw new TypeError(`streamTool() '${name}': 'stream' must be 'in', 'out' or 'duplex', which way the bytes go`)
}

function unknownKey(kind: FeatureKind, key: string): string {
  const elsewhere = ELSEWHERE[kind]
  const known = Object.hasOwn(elsewhere, key) ? `Here that is ${elsewhere[key]}.` : didYouMean(key, KEYS[kind])
  return `there is no '${key}' in a definition. ${known ?? `There is ${KEYS[kind].join(', ')}.`}`
}

/** Refuse what was added and is no feature. */
export function checkFeature(value: unknown): void {
  if (Array.isArray(value)) throw new TypeError('add() takes features, not a list of them: write add(...features)')
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  if (typeof kind === 'string' && Object.hasOwn(KEYS, kind)) return
  throw new TypeError('add() takes what tool(), prompt(), resource() or template() made, and nothing else')
}
