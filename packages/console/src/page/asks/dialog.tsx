import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A question in a window of its own; Escape leaves it unanswered. */
export function Dialog(props: {
  readonly title: string
  dismiss(): void
  submit(): void
  readonly children: ComponentChildren
}): VNode {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => box.current?.showModal(), [])
  return (
    <dialog
      ref={box}
      aria-label={props.title}
      onCancel={event => {
        event.preventDefault()
        props.dismiss()
      }}
    >
      <form
        class="stack"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          props.submit()
        }}
      >
        <h2>{props.title}</h2>
        {props.children}
      </form>
    </dialog>
  )
}
