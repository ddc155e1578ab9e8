import type { Signal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

/** Says what is not there, and what to do about it. */
export function Empty(props: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}): VNode {
  return (
    <div class="empty">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      {props.children}
    </div>
  )
}

/** The field that finds things as one types. */
export function Search({ value, what }: { readonly value: Signal<string>; readonly what: string }): VNode {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label="Search"
        placeholder={`Search ${what}`}
        autocomplete="off"
        spellcheck={false}
        value={value.value}
        onInput={event => (value.value = event.currentTarget.value)}
      />
      {value.value === '' && <kbd aria-hidden="true">/</kbd>}
    </div>
  )
}

/** One of a few. */
export function Segments<T extends string>(props: {
  readonly label: string
  readonly options: readonly T[]
  readonly value: T
  choose(option: T): void
}): VNode {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.options.map(option => (
        <button key={option} type="button" aria-pressed={option === props.value} onClick={() => props.choose(option)}>
          {option}
        </button>
      ))}
    </div>
  )
}

/** How a call ended, or a server fares, in one word and one colour. */
export function Outcome({ outcome }: { readonly outcome: string }): VNode {
  const tone = ['ok', 'running'].includes(outcome)
    ? 'good'
    : ['asked', 'cancelled', 'idle', 'starting', 'needs a login'].includes(outcome)
      ? 'warn'
      : 'bad'
  return (
    <span class={`badge clip ${tone}`} title={outcome}>
      {outcome}
    </span>
  )
}

/** `1,234` */
export const count = (value: number): string => value.toLocaleString('en')

/** `1.2 s`, `340 ms`, `0.4 ms` */
export const duration = (ms: number): string =>
  ms >= 10_000
    ? `${(ms / 1000).toFixed(0)} s`
    : ms >= 1000
      ? `${(ms / 1000).toFixed(2)} s`
      : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`

/** `1 tool`, `2 tools` */
export const plural = (number: number, word: string): string => `${count(number)} ${word}${number === 1 ? '' : 's'}`
