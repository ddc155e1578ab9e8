import { createHash, randomUUID } from 'node:crypto'
import { posix } from 'node:path'
import { after } from '../awaitable.ts'
import type { Call, Handle, Policy } from '../call.ts'
import { fitsPattern } from '../catalog/names.ts'
import type { Info } from '../catalog/shelf.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import type { ToolDefinitions } from '../policies/require-scopes.ts'
import { canAsk } from '../protocol/asks.ts'
import { sessionOf } from '../protocol/session.ts'
import { redact } from '../secrets/redact.ts'
import type { Annotated } from '../secrets/redact.ts'
import type { Values } from '../stores/store.ts'
import { canonicalJson } from '../support/canonical-json.ts'
import { visibleJson } from '../support/visible-json.ts'
import type { ApprovalRule } from './rules.ts'

/** What a person approves, and where that is kept. */
export interface ApprovalOptions {
  /** For every caller; rules of the rights may ask for more. */
  readonly rules?: readonly ApprovalRule[]
  /** For how long the person may have an approval remembered. Default: not at all. */
  readonly rememberMs?: number | undefined
  /** Where approvals are marked as used. */
  readonly store: Values
  /** The input schema of a tool, whose `x-audit` annotations say how arguments are shown. */
  readonly schemaOf?: (tool: string) => Annotated
}

/** What travels, sealed, while a person is asked, and while the tool itself asks something after that. */
interface State {
  /** Used once. */
  readonly nonce: string
  readonly until: number
  /** The tool and exactly these arguments. */
  readonly of: string
  readonly approved: boolean
  readonly carried: unknown
  readonly answers: Call['answers']
}

interface Needed {
  readonly call: Call
  readonly next: Handle
  /** The name of the tool in lists. */
  readonly tool: string
  readonly info: Info
}

const QUESTION = 'causeway-approval'
const GOOD_FOR_MS = 10 * 60_000
const MOST_SHOWN = 2000

/** Ask a person before certain tools run. It belongs inside the limits, so that questions are limited, too. */
export function approval(server: ToolDefinitions, options: ApprovalOptions): Policy {
  const { rules = [] } = options
  return function approval(call, next) {
    const { rights } = call.caller
    if (call.method !== 'tools/call' || (rules.length === 0 && !rights)) return next(call)
    return after(server.definitionOf(String(call.params.name), call.caller), info => {
      if (!info) return next(call)
      const tool = String(info.name)
      const wanted = [...rules, ...(rights?.approvals('tools', tool) ?? [])]
      return wanted.some(rule => isMeant(rule, tool, info)) ? approve({ call, next, tool, info }, options) : next(call)
    })
  }
}

/** A tool that says nothing of itself may destroy. */
function isMeant(rule: ApprovalRule, tool: string, { annotations }: Info): boolean {
  const { readOnlyHint, destructiveHint } = isObject(annotations) ? annotations : {}
  if (typeof rule !== 'string') return rule.some(pattern => fitsPattern(tool, pattern))
  return readOnlyHint !== true && (rule === 'writes' || destructiveHint !== false)
}

async function approve(needed: Needed, options: ApprovalOptions): Promise<Result> {
  const { call } = needed
  const state = stateIn(call.carried)
  if (!state) return (await isRemembered(needed, options)) ? run(needed, call, 'remembered') : ask(needed, options)
  await use(state, needed, options.store)
  const { carried, answers } = state
  if (state.approved) return run(needed, { ...call, carried, answers: { ...answers, ...call.answers } })
  await remember(needed, options)
  return run(needed, { ...call, carried, answers })
}

/** An approval is for this call, and for one run of it. */
async function use(state: State, needed: Needed, store: Values): Promise<void> {
  const { call, tool } = needed
  if (state.of !== fingerprint(needed)) throw refused(tool, 'The approval was for other arguments.')
  if (state.until < Date.now()) throw refused(tool, 'The answer came too late: an approval is good for 10 minutes.')
  const answer = call.answers[QUESTION]
  if (!state.approved && answer === undefined) throw refused(tool, 'The person did not answer.')
  const mine = randomUUID()
  const first = await store.once(`approval:${state.nonce}`, mine, GOOD_FOR_MS)
  if (first !== mine) throw refused(tool, 'The approval was used already.')
  // A question that was declined is answered for good.
  if (!state.approved && !(isObject(answer) && answer.action === 'accept')) throw refused(tool, 'The person declined.')
}

async function isRemembered(needed: Needed, options: ApprovalOptions): Promise<boolean> {
  const key = rememberKey(needed, options)
  return key !== undefined && (await options.store.get(key)) !== undefined
}

/** If the person said so. */
async function remember(needed: Needed, options: ApprovalOptions): Promise<void> {
  const answer = needed.call.answers[QUESTION]
  const isWanted = isObject(answer) && isObject(answer.content) && answer.content.remember === true
  const key = isWanted ? rememberKey(needed, options) : undefined
  if (key !== undefined) await options.store.set(key, 'approved', options.rememberMs ?? 0)
}

/** The approved call; what the tool itself asks goes out with the approval, so that nothing is asked twice. */
async function run(needed: Needed, inner: Call, how?: 'remembered'): Promise<Result> {
  const by = nameOf(inner)
  inner.cancellation.approvedBy = how === undefined ? by : `${by} (remembered)`
  const result = await needed.next(inner)
  if (result.resultType !== 'input_required') return result
  const { requestState: carried } = result
  const answers = carried === undefined ? inner.answers : {}
  return { ...result, requestState: { causewayApproval: newState(needed, { approved: true, carried, answers }) } }
}

function ask(needed: Needed, options: ApprovalOptions): Result {
  const { call, tool } = needed
  if (!call.descriptor.asks || !canAsk(call.caller, 'elicitation'))
    throw fault(
      'not-approved',
      `Tool '${cut(tool, 100)}' needs the approval of a person, and this client cannot ask one: it does not offer elicitation`,
      undefined,
      { hint: 'Use a client that supports elicitation. The operator decides with --approve what needs approval.' },
    )
  const properties =
    rememberKey(needed, options) !== undefined
      ? { remember: { type: 'boolean', title: rememberTitle(needed, options), default: false } }
      : {}
  const params = { mode: 'form', message: messageOf(needed, options), requestedSchema: { type: 'object', properties } }
  const state = newState(needed, { approved: false, carried: call.carried, answers: call.answers })
  return {
    resultType: 'input_required',
    inputRequests: { [QUESTION]: { method: 'elicitation/create', params } },
    requestState: { causewayApproval: state },
  }
}

const newState = (needed: Needed, rest: Pick<State, 'approved' | 'carried' | 'answers'>): State => ({
  nonce: randomUUID(),
  until: Date.now() + GOOD_FOR_MS,
  of: fingerprint(needed),
  ...rest,
})

function stateIn(carried: unknown): State | undefined {
  const state = isObject(carried) ? carried.causewayApproval : undefined
  return isObject(state) && typeof state.nonce === 'string' ? (state as unknown as State) : undefined
}

/** The tool, its arguments and who calls it. */
const fingerprint = ({ call, tool }: Needed): string =>
  createHash('sha256')
    .update(canonicalJson([tool, call.params.arguments ?? {}, call.caller.principal?.name ?? null]))
    .digest('base64url')

function messageOf({ call, tool, info }: Needed, { schemaOf }: ApprovalOptions): string {
  const args = visibleJson(redact(call.params.arguments ?? {}, schemaOf?.(tool)))
  const left = args.length - MOST_SHOWN
  return [
    `May the tool '${tool}' run? ${effectOf(info)}`,
    `Arguments: ${left > 0 ? `${args.slice(0, MOST_SHOWN)}… (${left} more characters are not shown)` : args}`,
    `Called by: ${cut(nameOf(call), 200)}`,
  ].join('\n')
}

function effectOf({ annotations }: Info): string {
  const { readOnlyHint, destructiveHint } = isObject(annotations) ? annotations : {}
  if (readOnlyHint === true) return 'It says that it only reads.'
  if (destructiveHint === false) return 'It says that it writes, and overwrites and deletes nothing.'
  return `It may overwrite or delete things${destructiveHint === undefined ? ': it does not say what it does' : ''}.`
}

/** The person at the client answers: its principal, else the client. */
const nameOf = ({ caller }: Call): string =>
  caller.principal?.name ?? (caller.client ? `the client ${caller.client.name}` : 'a client without a name')

/** For this session, this tool and the folder of its path; nothing is remembered without one of them. */
function rememberKey({ call, tool }: Needed, { rememberMs }: ApprovalOptions): string | undefined {
  const session = sessionOf(call)?.id
  const folder = folderOf(call)
  if (rememberMs === undefined || session === undefined || folder === undefined) return undefined
  const of = createHash('sha256').update(JSON.stringify([session, call.caller.principal?.name ?? null, tool, folder]))
  return `approval-remembered:${of.digest('base64url')}`
}

function folderOf({ params: { arguments: args } }: Call): string | undefined {
  const path = isObject(args) ? args.path : undefined
  return typeof path === 'string' && path !== ''
    ? posix.dirname(posix.normalize(path.replaceAll('\\', '/')))
    : undefined
}

const rememberTitle = ({ call, tool }: Needed, { rememberMs = 0 }: ApprovalOptions): string =>
  `Approve ${tool} in the folder ${cut(folderOf(call) ?? '', 200)} for ${Math.max(1, Math.round(rememberMs / 1000))} s`

const refused = (tool: string, why: string): Error =>
  fault('not-approved', `Tool '${cut(tool, 100)}' was not approved. ${why}`, undefined, {
    hint: 'Nothing was done. Do not call it again unless the user wants that.',
  })
