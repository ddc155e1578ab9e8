import type { VNode } from 'preact'

const PATHS = {
  Tools: 'M14.5 6.5a4 4 0 0 0-5.3 5L4 16.7 7.3 20l5.2-5.2a4 4 0 0 0 5-5.3L15 12l-3-3z',
  Resources: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  Prompts: 'M4 5h16v11H10l-4 4v-4H4zM8 9h8M8 12h5',
  Live: 'M3 12h4l3-7 4 14 3-7h4',
  Servers: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  Connect: 'M9 15l6-6M8 11l-3 3a4 4 0 0 0 5.5 5.5l3-3M16 13l3-3a4 4 0 0 0-5.5-5.5l-3 3',
  search: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5L20 20',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 13l4 4L19 7',
  run: 'M7 4l13 8-13 8z',
  stop: 'M6 6h12v12H6z',
  pause: 'M8 5v14M16 5v14',
  back: 'M15 5l-7 7 7 7',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  half: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 3v18',
  plus: 'M12 5v14M5 12h14',
} as const

/** The name of a picture. */
export type IconName = keyof typeof PATHS

/** A small picture in the colour of the text beside it; the text is what counts. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.75">
      <path d={PATHS[name]} stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  )
}

/** The mark of the product. */
export function Mark(): VNode {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#2456c7" />
      <path
        d="M5 20h22M8 20c0-4 3-7 8-7s8 3 8 7M12 20v-5.6M20 20v-5.6M16 20v-7"
        fill="none"
        stroke="#fff"
        stroke-width="2.2"
        stroke-linecap="round"
      />
    </svg>
  )
}
