import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Copy } from '../parts/copy.tsx'
import { Content } from '../result/content.tsx'
import { JsonTree } from '../result/json-tree.tsx'
import { asRecord } from '../schema/schema.ts'
import type { OpenAsk } from '../state/asks.ts'
import { Dialog } from './dialog.tsx'

/** A tool wants a model to answer: the person reads what is asked, and answers by hand or with what a model said. */
export function SamplingAsk({ open }: { readonly open: OpenAsk }): VNode {
  const { messages, systemPrompt, ...rest } = open.ask.params
  const list = Array.isArray(messages) ? messages.map(asRecord) : []
  const answer = useSignal('')
  const model = useSignal('answered-by-hand')
  const approve = (): void =>
    open.reply({
      role: 'assistant',
      content: { type: 'text', text: answer.value },
      model: model.value,
      stopReason: 'endTurn',
    })
  return (
    <Dialog
      title={`${open.from} asks for a model’s answer`}
      dismiss={() => open.refuse('The person declined')}
      submit={approve}
    >
      <p class="muted">
        Nothing leaves this page until you approve. Write the answer yourself, or paste what a model said.
      </p>
      {typeof systemPrompt === 'string' && <System prompt={systemPrompt} />}
      {list.map((message, i) => (
        <div key={i} class={`message ${message.role === 'assistant' ? 'assistant' : ''}`}>
          <span class="muted small">{String(message.role)}</span>
          <Content block={Array.isArray(message.content) ? message.content[0] : message.content} />
        </div>
      ))}
      <details>
        <summary>What the model is asked to be</summary>
        <JsonTree value={rest} />
      </details>
      <Answer answer={answer} model={model} />
      <div class="row end">
        <Copy text={() => promptOf(list, systemPrompt)} label="Copy prompt" />
        <span class="grow" />
        <button type="button" class="button" onClick={() => open.refuse('The person declined')}>
          Decline
        </button>
        <button type="submit" class="button primary" disabled={answer.value.trim() === ''}>
          Approve
        </button>
      </div>
    </Dialog>
  )
}

const System = ({ prompt }: { readonly prompt: string }): VNode => (
  <div class="message">
    <span class="muted small">system</span>
    <p>{prompt}</p>
  </div>
)

type Text = ReturnType<typeof useSignal<string>>

function Answer({ answer, model }: { readonly answer: Text; readonly model: Text }): VNode {
  return (
    <>
      <div class="field">
        <label for="answer">Answer</label>
        <textarea
          id="answer"
          class="input"
          rows={4}
          value={answer.value}
          onInput={event => (answer.value = event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="model">Model</label>
        <input
          id="model"
          class="input"
          value={model.value}
          onInput={event => (model.value = event.currentTarget.value)}
        />
      </div>
    </>
  )
}

function promptOf(messages: readonly Readonly<Record<string, unknown>>[], system: unknown): string {
  const texts = messages.flatMap(({ content }) => {
    const { text } = asRecord(Array.isArray(content) ? content[0] : content)
    return typeof text === 'string' ? [text] : []
  })
  return [...(typeof system === 'string' ? [system] : []), ...texts].join('\n\n')
}
