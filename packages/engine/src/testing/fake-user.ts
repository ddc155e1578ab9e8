import type { AskedOfClient } from '../testing.ts'
import { isObject } from '../support/is-object.ts'
import type { Params } from '../jsonrpc/message.ts'
import { Invalid, compile } from '../schema/schema.ts'

/** What a person does with a form: fills it in, declines, or closes it. */
export type FormAnswer = Params | 'decline' | 'cancel'

/** A form that a server asks to be filled in, or a page that it asks to be opened. */
export interface AskedForm {
  readonly message: string
  readonly schema: Params | undefined
  readonly url: string | undefined
}

/** What a client's end does when the server asks. */
export interface FakeUserOptions {
  /** Answers to forms: one after the other, or by a function of what is asked. */
  readonly forms?: readonly FormAnswer[] | ((asked: AskedForm) => FormAnswer | Promise<FormAnswer>)
  /** What the client's model says. */
  readonly model?: string | ((params: Params) => string | Promise<string>)
  /** URIs of the client's folders. */
  readonly roots?: readonly string[]
}

/** A client's end for `connect(server, fakeUser(…))`: declares what it can be asked, answers, and keeps what was asked. */
export interface FakeUser {
  readonly capabilities: Params
  readonly answer: (asked: AskedOfClient) => Promise<unknown>
  /** Everything that was asked, in order. */
  readonly asked: readonly AskedOfClient[]
}

/** A person and a model that answer what a server asks. What nobody prepared fails the test in words. */
export function fakeUser({ forms, model, roots }: FakeUserOptions = {}): FakeUser {
  const asked: AskedOfClient[] = []
  const answerForm = formAnswers(forms ?? [])
  const answer = async (one: AskedOfClient): Promise<unknown> => {
    asked.push(one)
    if (one.method === 'elicitation/create') return formResult(one.params, answerForm)
    if (one.method === 'roots/list') return { roots: (roots ?? []).map(uri => ({ uri })) }
    if (one.method === 'sampling/createMessage' && model !== undefined) return modelResult(model, one.params)
    throw new Error(`The server asked ${one.method}, and fakeUser() was given no answer for it`)
  }
  return {
    capabilities: {
      ...(forms && { elicitation: { form: {}, url: {} } }),
      ...(model !== undefined && { sampling: {} }),
      ...(roots && { roots: {} }),
    },
    answer,
    asked,
  }
}

type AnswerForm = (asked: AskedForm) => FormAnswer | Promise<FormAnswer>

function formAnswers(forms: NonNullable<FakeUserOptions['forms']>): AnswerForm {
  if (typeof forms === 'function') return forms
  const left = [...forms]
  return ({ message }) => {
    const next = left.shift()
    if (next !== undefined) return next
    throw new Error(`The server asked "${message}", and fakeUser() has no answer left (it was given ${forms.length})`)
  }
}

async function formResult(params: Params, answerForm: AnswerForm): Promise<Params> {
  const { message, requestedSchema, url } = params
  const schema = isObject(requestedSchema) ? requestedSchema : undefined
  const given = await answerForm({
    message: String(message),
    schema,
    url: typeof url === 'string' ? url : undefined,
  })
  if (typeof given === 'string') return { action: given }
  const checked = schema && compile(schema).check(given)
  if (checked instanceof Invalid)
    throw new Error(
      `The answer to "${String(message)}" does not fit its form: ${checked.problems.map(({ what }) => what).join(' ')}`,
    )
  return { action: 'accept', ...(schema && { content: given }) }
}

async function modelResult(model: NonNullable<FakeUserOptions['model']>, params: Params): Promise<Params> {
  const text = typeof model === 'string' ? model : await model(params)
  return { role: 'assistant', content: { type: 'text', text }, model: 'fake', stopReason: 'endTurn' }
}
