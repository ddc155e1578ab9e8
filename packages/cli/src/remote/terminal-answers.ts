import { createInterface } from 'node:readline/promises'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '@causeway/engine/internal'
import type { RemoteOptions } from '@causeway/engine/client'
import { complain } from '../terminal/print.ts'
import { fieldsOf, promptFor, readField } from './form-fields.ts'

type Answering = Pick<RemoteOptions, 'answer' | 'capabilities'>
type Answer = Readonly<Record<string, unknown>>

/** Asks a person one thing; undefined if there is no answer any more. */
export type AskPerson = (question: string) => Promise<string | undefined>

/** What a server may ask here: a person, where there is a terminal, and the roots, where some were named. */
export function terminalAnswers(roots: readonly string[]): Answering {
  const isAsking = process.stdin.isTTY && process.stderr.isTTY
  const capabilities = {
    ...(isAsking && { elicitation: { form: {}, url: {} } }),
    ...(roots.length > 0 && { roots: {} }),
  }
  const askPerson = inTurn(askAtTerminal)
  return {
    capabilities,
    answer: async ({ method, params }, signal) => {
      if (method === 'roots/list') return { roots: roots.map(rootEntry) }
      if (method === 'elicitation/create' && isAsking) return askPerson(params, signal)
      throw new Error(`This client cannot answer ${method}`)
    },
  }
}

const rootEntry = (folder: string): Answer => ({ uri: pathToFileURL(folder).href, name: basename(folder) })

type Answers = (params: Answer, signal: AbortSignal) => Promise<Answer>

const CANCEL: Answer = { action: 'cancel' }
// What a person can be expected to answer for one command.
const MOST_QUESTIONS = 20

/** One question after the other, so that what is typed answers one of them only, and not without end. */
export function inTurn(answer: Answers): Answers {
  let last: Promise<unknown> = Promise.resolve()
  let count = 0
  return (params, signal) => {
    count += 1
    if (count === MOST_QUESTIONS + 1) complain('The server asks more questions; they are not shown.')
    if (count > MOST_QUESTIONS) return Promise.resolve(CANCEL)
    const next = last.then(() => (signal.aborted ? CANCEL : answer(params, signal)))
    last = next.catch(() => {})
    return next
  }
}

async function askAtTerminal(params: Answer, signal: AbortSignal): Promise<Answer> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const over = new AbortController()
  lines.once('close', () => over.abort())
  // Ctrl-C cancels the call, not only the question: a server could ask again and again.
  lines.once('SIGINT', () => {
    lines.close()
    process.kill(process.pid, 'SIGINT')
  })
  const ask: AskPerson = question =>
    lines.question(question, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined)
  try {
    return await answerQuestion(params, ask)
  } finally {
    lines.close()
  }
}

const MOST_TRIES = 5
const LONGEST = 4000

/** Ask for each field of a form, or for consent to open an address. Ctrl-D cancels. */
export async function answerQuestion(params: Answer, ask: AskPerson): Promise<Answer> {
  // Indented, so that no line of it looks like one of ours.
  complain(`The server asks: ${String(params.message).slice(0, LONGEST).replaceAll(/\s*\n/g, '\n  ')}`)
  if (params.mode === 'url') return consent(String(params.url), ask)
  const content: Record<string, unknown> = {}
  for (const field of fieldsOf(isObject(params.requestedSchema) ? params.requestedSchema : {})) {
    for (let tries = 0; ; tries++) {
      const said = await ask(promptFor(field))
      if (said === undefined || tries === MOST_TRIES) return CANCEL
      const read = readField(field, said.trim())
      if ('problem' in read) complain(read.problem)
      else {
        if (read.value !== undefined) content[field.name] = read.value
        break
      }
    }
  }
  const sure = await ask('Send this? [Y/n] ')
  if (sure === undefined) return CANCEL
  return /^n/i.test(sure.trim()) ? { action: 'decline' } : { action: 'accept', content }
}

async function consent(url: string, ask: AskPerson): Promise<Answer> {
  if (url.length > LONGEST || !/^https?:\/\/\S+$/i.test(url)) {
    complain('It names an address that is no web page; declined.')
    return { action: 'decline' }
  }
  complain(`Open this address in a browser, if you trust it:\n  ${url}`)
  const said = await ask('Done? [y/N] ')
  if (said === undefined) return CANCEL
  return { action: /^y/i.test(said.trim()) ? 'accept' : 'decline' }
}
