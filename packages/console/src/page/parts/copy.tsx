import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Icon } from './icon.tsx'

const SHOWN_MS = 1500

/** Copies a text with one click, and says so. */
export function Copy({
  text,
  label = 'Copy',
}: {
  readonly text: string | (() => string)
  readonly label?: string
}): VNode {
  const state = useSignal<'' | 'Copied' | 'Not allowed'>('')
  const copy = (): void => {
    void written(typeof text === 'string' ? text : text()).then(isDone => {
      state.value = isDone ? 'Copied' : 'Not allowed'
      setTimeout(() => (state.value = ''), SHOWN_MS)
    })
  }
  return (
    <button type="button" class={`button mini ${label === 'Copy' ? '' : 'quiet'}`} aria-label={label} onClick={copy}>
      <Icon name={state.value === 'Copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{state.value || label}</span>
    </button>
  )
}

async function written(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writtenByHand(text)
  }
}

/** Where the clipboard is closed to pages, as over plain HTTP on another machine, selecting still works. */
function writtenByHand(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  return isDone
}

/** A piece of code with a button that copies it. */
export function Code({ text, label }: { readonly text: string; readonly label: string }): VNode {
  return (
    <div class="code">
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>{text}</code>
      </pre>
      <Copy text={text} />
    </div>
  )
}
