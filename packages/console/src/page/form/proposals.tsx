import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect } from 'preact/hooks'

const SOON_MS = 120

/** What the server proposes for a field, as its own list of the browser's. */
export function Proposals(props: {
  readonly id: string
  readonly typed: string
  readonly ask: (typed: string) => Promise<readonly string[]>
  readonly children: ComponentChildren
}): VNode {
  const found = useSignal<readonly string[]>([])
  useEffect(() => {
    let isWanted = true
    const soon = setTimeout(() => {
      props.ask(props.typed).then(
        values => {
          if (isWanted) found.value = values
        },
        () => {},
      )
    }, SOON_MS)
    return () => {
      isWanted = false
      clearTimeout(soon)
    }
  }, [props.typed])
  return (
    <>
      {props.children}
      <datalist id={`${props.id}-list`}>
        {found.value.map(value => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  )
}
