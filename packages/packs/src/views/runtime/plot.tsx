import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const LEAST = 280

/** The width of an element, followed. */
export function useWidth(): { readonly ref: { current: HTMLDivElement | null }; readonly width: number } {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(720)
  useEffect(() => {
    const element = ref.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => setWidth(Math.max(LEAST, Math.floor(element.clientWidth))))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}

interface PlotProps {
  readonly label: string
  readonly height: number
  readonly draw: (width: number) => ComponentChildren
  /** What is said of the mark in focus. */
  readonly about?: ComponentChildren
}

const FORWARD = ['ArrowRight', 'ArrowDown']
const BACK = ['ArrowLeft', 'ArrowUp']

/** A drawing whose marks can be walked through with the arrow keys; what has the focus is described below it. */
export function Plot({ label, height, draw, about }: PlotProps): VNode {
  const { ref, width } = useWidth()
  const onKeyDown = (event: KeyboardEvent): void => {
    const marks = [...(ref.current?.querySelectorAll<SVGElement>('[data-mark]') ?? [])]
    const at = marks.indexOf(event.target as SVGElement)
    const step = FORWARD.includes(event.key) ? 1 : BACK.includes(event.key) ? -1 : 0
    const next = event.key === 'Home' ? marks[0] : event.key === 'End' ? marks.at(-1) : marks[at + step]
    if (at < 0 || (step === 0 && event.key !== 'Home' && event.key !== 'End')) return
    event.preventDefault()
    next?.focus()
  }
  return (
    <div class="plot" ref={ref}>
      <svg width={width} height={height} role="group" aria-label={label} onKeyDown={onKeyDown}>
        {draw(width)}
      </svg>
      <p class="about" aria-live="polite">
        {about ?? <span class="muted">Point at a mark, or reach it with Tab and the arrow keys.</span>}
      </p>
    </div>
  )
}

interface MarkProps {
  readonly label: string
  readonly isFirst: boolean
  onFocus(): void
  onChoose?(): void
  readonly children: ComponentChildren
  readonly class?: string
}

/** One mark of a drawing: reached by pointer and keyboard, with a name. */
export function Mark({ label, isFirst, onFocus, onChoose, children, class: kind = '' }: MarkProps): VNode {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    onChoose?.()
  }
  return (
    <g
      data-mark=""
      class={`mark ${kind}`}
      role={onChoose ? 'button' : 'img'}
      aria-label={label}
      tabIndex={isFirst ? 0 : -1}
      onFocus={onFocus}
      onMouseEnter={onFocus}
      onKeyDown={onKeyDown}
      {...(onChoose && { onClick: onChoose })}
    >
      {children}
    </g>
  )
}
