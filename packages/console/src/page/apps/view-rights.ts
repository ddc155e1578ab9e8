import { isObject } from '@causeway/engine/browser'
import type { Params, Result } from '@causeway/engine/browser'
import { asRecord } from '../schema/schema.ts'
import { answerAsk } from '../state/asks.ts'
import { find, groupOf, lists } from '../state/catalog.ts'
import type { Listed } from '../state/catalog.ts'
import { client } from '../state/connection.ts'
import { hello } from '../state/feed.ts'

/** The view that a tool has, if it has one. */
export function viewUriOf(definition: Params | undefined): string | undefined {
  const { resourceUri } = asRecord(asRecord(asRecord(definition)._meta).ui)
  return typeof resourceUri === 'string' && resourceUri.startsWith('ui://') ? resourceUri : undefined
}

const audienceOf = ({ definition }: Listed): readonly unknown[] => {
  const { visibility } = asRecord(asRecord(definition._meta).ui)
  return Array.isArray(visibility) ? visibility : ['model', 'app']
}

/** Is the tool there for views, and offered to no model? */
export const isForViews = (tool: Listed): boolean => !audienceOf(tool).includes('model')

/** The server behind this one that a tool belongs to; undefined for our own, and where that is not known. */
function serverOf(key: string): string | undefined {
  const name = groupOf.value('tool', key)
  return hello.value?.groups.some(one => one.name === name && one.kind === 'server') ? name : undefined
}

/** The tool that a view means: a view knows the name that its own server has for it. */
function meant(name: string, beside: Listed): Listed | undefined {
  const server = serverOf(beside.key)
  if (server === undefined) return find('tool', name)
  const own = lists.tool.value?.items.filter(one => serverOf(one.key) === server) ?? []
  return own.find(({ key }) => key === name) ?? own.find(({ key }) => key.endsWith(`__${name}`)) ?? find('tool', name)
}

/**
 * Answers calls of a view, as the page's user. Tools of its own server that only read are called at once; for any other
 * the person is asked, once for each tool and view.
 */
export function viewCaller(beside: Listed): (name: string, args: Params, signal: AbortSignal) => Promise<Result> {
  const allowed = new Set<string>()
  return async (name, args, signal) => {
    const tool = meant(name, beside)
    if (tool && !audienceOf(tool).includes('app')) throw new Error(`The tool '${name.slice(0, 100)}' is not for views`)
    const key = tool?.key ?? name
    if (!isHarmless(tool, beside) && !allowed.has(key)) {
      if (!(await isAllowed(key, args, beside, signal))) throw new Error('The person at the console refused the call')
      allowed.add(key)
    }
    const remote = await client()
    return remote.request('tools/call', { name: key, arguments: args }, { signal })
  }
}

function isHarmless(tool: Listed | undefined, beside: Listed): boolean {
  if (!tool || serverOf(tool.key) !== serverOf(beside.key)) return false
  const { annotations } = tool.definition
  return isObject(annotations) && annotations.readOnlyHint === true
}

async function isAllowed(key: string, args: Params, beside: Listed, signal: AbortSignal): Promise<boolean> {
  const shown = JSON.stringify(args)
  const cut = shown.length > 400 ? `${shown.slice(0, 400)}…` : shown
  const message = `It wants to call the tool “${key.slice(0, 100)}” with ${cut}. Allow that, as long as this result is shown?`
  const params = { message, requestedSchema: { type: 'object', properties: {} } }
  const answer = await answerAsk({ method: 'elicitation/create', params }, signal, `The view of “${beside.key}”`)
  return answer.action === 'accept'
}
