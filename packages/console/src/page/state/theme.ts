import { computed, effect, signal } from '@preact/signals'

/** How the page looks: as the system does, or as was chosen. */
export type Theme = 'auto' | 'light' | 'dark'

const KEY = 'causeway-theme'
const THEMES: readonly Theme[] = ['auto', 'light', 'dark']

/** The choice, kept between visits; it is no secret. */
export const theme = signal<Theme>(stored())

const dark = matchMedia('(prefers-color-scheme: dark)')
const isSystemDark = signal(dark.matches)
dark.addEventListener('change', ({ matches }) => void (isSystemDark.value = matches))

/** How the page looks now. */
export const shownTheme = computed<'light' | 'dark'>(() =>
  theme.value === 'auto' ? (isSystemDark.value ? 'dark' : 'light') : theme.value,
)

/** Follow the choice from now on. */
export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value
    try {
      localStorage.setItem(KEY, theme.value)
    } catch {
      // Then it holds until the page is left.
    }
  })
}

/** The next of the three. */
export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto'
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY)
    return THEMES.find(one => one === value) ?? 'auto'
  } catch {
    return 'auto'
  }
}
