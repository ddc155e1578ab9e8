import { render } from 'preact'
import type { ComponentType, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Bridge } from './bridge.ts'
import { dataOf, isRecord, textOf } from './values.ts'
import type { Fields, ToolResult } from './values.ts'
import './view.css'

/** What a view is given: the call it stands beside, and the way to its host. */
export interface ViewProps {
  readonly bridge: Bridge
  readonly input: Fields
  readonly result: ToolResult
}

interface State {
  readonly input?: Fields
  readonly result?: ToolResult
  readonly notice?: string
}

/** Show a view: words while it waits, what went wrong, and the view itself once the result is there. */
export function startView(name: string, View: ComponentType<ViewProps>): void {
  const place = document.getElementById('view') as HTMLElement
  let state: State = {}
  const draw = (): void => render(<Frame state={state} bridge={bridge} View={View} />, place)
  const change = (more: State): void => {
    state = { ...state, ...more }
    draw()
  }
  const bridge = new Bridge({
    onInput: input => change({ input }),
    onResult: result => change({ result }),
    onCancelled: reason => change({ notice: reason === '' ? 'The call was cancelled.' : `Cancelled: ${reason}` }),
    onContext: applyContext,
  })
  draw()
  bridge.open(name).then(
    () => followSize(place, bridge),
    (error: unknown) => change({ notice: String(error) }),
  )
}

interface FrameProps {
  readonly state: State
  readonly bridge: Bridge
  readonly View: ComponentType<ViewProps>
}

function Frame({ state: { input = {}, result, notice }, bridge, View }: FrameProps): VNode {
  if (result) return <View bridge={bridge} input={input} result={result} />
  return (
    <p class="waiting" role="status">
      {notice ?? 'Waiting for the result…'}
    </p>
  )
}

/** The host's colours and fonts. A page that gets nothing of it follows the browser. */
function applyContext({ theme, styles }: Fields): void {
  const root = document.documentElement
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
  const variables = isRecord(styles) && isRecord(styles.variables) ? styles.variables : {}
  for (const [key, value] of Object.entries(variables)) {
    if (/^--[\w-]{1,60}$/.test(key) && typeof value === 'string') root.style.setProperty(key, value)
  }
}

/** The host makes the frame as high as the view is. */
function followSize(place: HTMLElement, bridge: Bridge): void {
  let last = 0
  const report = (): void => {
    const height = Math.ceil(place.getBoundingClientRect().height)
    if (height === last) return
    last = height
    bridge.notify('ui/notifications/size-changed', { height, width: document.documentElement.clientWidth })
  }
  new ResizeObserver(report).observe(place)
  report()
}

/** What more data of a tool of our server comes to. */
export interface Loaded {
  readonly data: Fields | undefined
  readonly problem: string
  readonly isLoading: boolean
}

/** Data for a view: that of a tool which is there for it, or what the result itself has. */
export function useData({ bridge, result }: ViewProps, tool: string, args: Fields): Loaded {
  const key = JSON.stringify([tool, args])
  const [loaded, setLoaded] = useState<Loaded>({ data: dataOf(result), problem: '', isLoading: true })
  useEffect(() => {
    let isOver = false
    const settle = (data: Fields | undefined, problem: string): void => {
      if (!isOver) setLoaded(known => ({ data: data ?? known.data, problem, isLoading: false }))
    }
    if (!bridge.can('serverTools')) {
      settle(undefined, '')
      return undefined
    }
    setLoaded(known => ({ ...known, isLoading: true }))
    bridge.call(tool, args).then(
      answer => settle(dataOf(answer), answer.isError ? textOf(answer).slice(0, 500) : ''),
      (error: unknown) => settle(undefined, error instanceof Error ? error.message : String(error)),
    )
    return () => void (isOver = true)
  }, [key])
  return loaded
}

/** Of the arguments of a call, those that another tool takes too. */
export const taking = (input: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap(name => (input[name] === undefined ? [] : [[name, input[name]]])))
