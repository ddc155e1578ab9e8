import { useSignal, useSignalEffect } from '@preact/signals'
import { isObject } from '@causeway/engine/browser'
import type { Params, Result } from '@causeway/engine/browser'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Listed } from '../state/catalog.ts'
import { reasonOf } from '../state/connection.ts'
import { shownTheme } from '../state/theme.ts'
import { loadView } from './load-view.ts'
import type { LoadedView } from './load-view.ts'
import { ViewHost } from './view-host.ts'
import { viewCaller } from './view-rights.ts'

interface ViewProps {
  readonly tool: Listed
  readonly uri: string
  readonly input: Params
  readonly result: Result
}

/** The view of a tool beside its result: read from the server, and shown in a frame of an origin of its own. */
export function ViewOfTool(props: ViewProps): VNode {
  const loaded = useSignal<LoadedView | undefined>(undefined)
  const problem = useSignal('')
  const isAllowed = useSignal(false)
  useEffect(() => {
    loadView(props.uri).then(
      view => void (loaded.value = view),
      (error: unknown) => void (problem.value = reasonOf(error)),
    )
  }, [props.uri])
  const view = loaded.value
  if (problem.value !== '') {
    return (
      <p class="notice bad" role="alert">
        {problem.value}
      </p>
    )
  }
  if (!view) return <p class="muted">Reading the view…</p>
  if (view.origins.length > 0 && !isAllowed.value) {
    return (
      <div class="notice stack tight">
        <p>This view wants to use the network, and could send there what it is shown: {view.origins.join(', ')}</p>
        <button type="button" onClick={() => (isAllowed.value = true)}>
          Show it
        </button>
      </div>
    )
  }
  return <Frame {...props} view={view} onStopped={why => void (problem.value = `The view was stopped. ${why}`)} />
}

type FrameProps = ViewProps & { readonly view: LoadedView; readonly onStopped: (why: string) => void }

function Frame({ tool, input, result, view, onStopped }: FrameProps): VNode {
  const ref = useRef<HTMLIFrameElement>(null)
  const host = useSignal<ViewHost | undefined>(undefined)
  useEffect(() => {
    const frame = ref.current
    if (!frame) return undefined
    const send = (message: object): void => frame.contentWindow?.postMessage(message, '*')
    const onHeight = (height: number): void => void (frame.height = String(height))
    const shown = { tool: tool.definition, input, result, theme: shownTheme.peek(), call: viewCaller(tool) }
    const made = new ViewHost(shown, send, { onHeight, onStopped })
    host.value = made
    let isFilled = false
    const receive = ({ source, data }: MessageEvent): void => {
      if (source !== frame.contentWindow || source === null) return
      if (isFilled) return made.receive(data)
      if (!isObject(data) || data.shell !== 'ready') return
      isFilled = true
      // Nothing else has an opaque origin that could be named here; the policy of the page holds the frame at the shell.
      send({ html: view.html })
    }
    addEventListener('message', receive)
    frame.src = view.shell
    return () => {
      removeEventListener('message', receive)
      made.close()
    }
  }, [view, result])
  useSignalEffect(() => host.peek()?.themed(shownTheme.value))
  return (
    <iframe
      ref={ref}
      class="view"
      title={`View of ${tool.title}`}
      sandbox="allow-scripts"
      referrerpolicy="no-referrer"
      height="420"
    />
  )
}
