import { RpcError, fault, text, tool } from '@causeway/engine'
import type { Call, Log, Policy, Problem, Tool, ToolResult } from '@causeway/engine'
import { forAgent, forHuman } from './answer.ts'
import type { Pattern } from './knowledge/pattern.ts'
import { settingOf } from './knowledge/settings.ts'
import type { Query } from './knowledge/settings.ts'

/** How the tool is offered. */
export interface QueryOptions {
  readonly languages: readonly string[]
  readonly frameworks: readonly string[]
  /** Words for the two, in the tool's schema. */
  readonly about: { readonly language: string; readonly framework: string }
  /** Text alone: no title, no annotations, no structured answer. */
  readonly bare: boolean
  readonly log: Log
  find: Find
}

/** The patterns that matter to a query, most relevant first, and what to say where there is none. */
export type Find = (query: Query) => Promise<Findings>

/** What was found, or else what would have been. */
export interface Findings {
  readonly ranked: readonly Pattern[]
  readonly hint?: object
}

const DESCRIPTION =
  'Query the Threat Model Knowledge Base for authorization security threats relevant to your implementation. ' +
  'Returns concise, actionable security context optimized for code generation.'

const LONGEST_CONTEXT = 10_000

/** Finds the threats that matter to what somebody is about to build. */
export function tmkbQuery(options: QueryOptions): Tool {
  const { bare, find, log } = options
  return tool(
    {
      name: 'tmkb_query',
      description: DESCRIPTION,
      ...(!bare && { title: 'Query threats', readOnly: true, idempotent: true, openWorld: false }),
      input: inputOf(options),
      use: [logged(log), trimmed],
    },
    async given => {
      const { verbosity, ...query } = given as Query & { readonly verbosity?: string }
      const { ranked, hint } = await find(query)
      const isForHuman = verbosity === 'human'
      const answer = (isForHuman ? forHuman : forAgent)(ranked, bare ? {} : settingOf(query))
      return resultOf({ ...answer, ...hint }, { bare, indent: isForHuman ? 2 : 0 })
    },
  )
}

const inputOf = ({ languages, frameworks, about }: QueryOptions) => ({
  type: 'object',
  properties: {
    context: {
      type: 'string',
      description: "What you're implementing (e.g., 'multi-tenant API endpoint', 'background job processing')",
      minLength: 1,
    },
    language: { type: 'string', enum: languages, description: about.language },
    framework: { type: 'string', enum: frameworks, description: about.framework },
    verbosity: {
      type: 'string',
      enum: ['agent', 'human'],
      default: 'agent',
      description: "Output format: 'agent' for concise, 'human' for detailed",
    },
  },
  required: ['context'],
  additionalProperties: false,
})

function resultOf(answer: object, { bare, indent }: { bare: boolean; indent: number }): ToolResult {
  const content = [text(JSON.stringify(answer, undefined, indent))]
  return bare ? { content, isError: false } : { content, structuredContent: answer, isError: false }
}

/** Trims the context before the schema judges it, so that a blank one is an empty one. */
const trimmed: Policy = (call, next) => {
  const { arguments: args } = call.params as { arguments?: Record<string, unknown> }
  if (typeof args?.context !== 'string') return next(call)
  const context = args.context.trim()
  if (Buffer.byteLength(context) > LONGEST_CONTEXT) {
    throw fault('invalid-arguments', `context must be at most ${LONGEST_CONTEXT} bytes long`)
  }
  return next({ ...call, params: { ...call.params, arguments: { ...args, context } } })
}

/** One line per query, with the request it belongs to; never what was asked. */
const logged =
  (log: Log): Policy =>
  async (call, next) => {
    try {
      const result = await next(call)
      log('info', `Query executed successfully: ${countIn(result)} patterns returned`, idOf(call))
      return result
    } catch (error) {
      if (error instanceof RpcError && error.kind === 'invalid-arguments') log('error', faultOf(error), idOf(call))
      throw error
    }
  }

const idOf = ({ id }: Call): { request: unknown } => ({ request: id })

function countIn({ content }: Readonly<Record<string, unknown>>): number {
  const [{ text: words }] = content as [{ text: string }]
  return (JSON.parse(words) as { patterns_included: number }).patterns_included
}

function faultOf({ message, data }: RpcError): string {
  const [problem] = (data as { problems?: readonly Problem[] } | undefined)?.problems ?? []
  if (!problem) return message
  if (problem.rule !== 'enum') return problem.what
  return `Invalid ${problem.argument} parameter: ${problem.sent?.replace(/^'|'$/g, '')}`
}
