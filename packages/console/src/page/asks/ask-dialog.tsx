import type { VNode } from 'preact'
import { asks } from '../state/asks.ts'
import type { OpenAsk } from '../state/asks.ts'
import { FormAsk, UrlAsk } from './elicitation.tsx'
import { RootsAsk } from './roots.tsx'
import { SamplingAsk } from './sampling.tsx'

/** What a tool asks of the person, one question at a time. */
export function AskDialog(): VNode | null {
  const [first] = asks.value
  if (!first) return null
  return <Question key={first.id} open={first} />
}

function Question({ open }: { readonly open: OpenAsk }): VNode {
  const { method, params } = open.ask
  if (method === 'sampling/createMessage') return <SamplingAsk open={open} />
  if (method === 'roots/list') return <RootsAsk open={open} />
  return params.mode === 'url' ? <UrlAsk open={open} /> : <FormAsk open={open} />
}
