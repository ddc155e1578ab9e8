import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Run } from '../state/runs.ts'

// So much of a result has to be visible.
const LEAST = 160

/** The element of a result: when a run ends while one looks, it is scrolled into view if it is below the window. */
export function useInSight(run: Run | undefined): RefObject<HTMLElement | null> {
  const element = useRef<HTMLElement>(null)
  const wasRunning = useRef(false)
  useEffect(() => {
    const isRunning = run?.state === 'running'
    const { top = 0 } = element.current?.getBoundingClientRect() ?? {}
    if (wasRunning.current && !isRunning && top > window.innerHeight - LEAST)
      element.current?.scrollIntoView({ block: 'start' })
    wasRunning.current = isRunning
  }, [run?.state])
  return element
}
