import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { AskDialog } from './asks/ask-dialog.tsx'
import { Icon, Mark } from './parts/icon.tsx'
import type { IconName } from './parts/icon.tsx'
import { lists } from './state/catalog.ts'
import { countOf } from './state/count.ts'
import { upstreams } from './state/feed.ts'
import { VIEWS, href, route } from './state/route.ts'
import type { View } from './state/route.ts'
import { info, isOperator, status } from './state/session.ts'
import { nextTheme, theme } from './state/theme.ts'
import { ConnectView } from './views/connect.tsx'
import { LiveView } from './views/live.tsx'
import { OperatorsOnly } from './views/operators-only.tsx'
import { PromptsView } from './views/prompts.tsx'
import { ResourcesView } from './views/resources.tsx'
import { ServersView } from './views/servers.tsx'
import { SignIn } from './views/sign-in.tsx'
import { ToolsView } from './views/tools.tsx'

const PAGES: Readonly<Record<View, () => VNode>> = {
  Tools: ToolsView,
  Resources: ResourcesView,
  Prompts: PromptsView,
  Live: LiveView,
  Servers: ServersView,
  Connect: ConnectView,
}

const FOR_OPERATORS: ReadonlySet<View> = new Set(['Live', 'Servers'])

/** The whole page. */
export function App(): VNode {
  useEffect(() => {
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  if (status.value === 'needs-token' || status.value === 'refused') return <SignIn />
  const { view } = route.value
  const Page = FOR_OPERATORS.has(view) && !isOperator.value ? OperatorsOnly : PAGES[view]
  return (
    <div class="shell">
      <Side />
      <main class="main" aria-label={view}>
        <Page />
      </main>
      <AskDialog />
    </div>
  )
}

/** `/` goes to the search; Escape leaves it. */
function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
  const search = document.querySelector<HTMLInputElement>('input[aria-label="Search"]')
  if (event.key === '/' && !isTyping && search && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    search.focus()
    search.select()
  } else if (event.key === 'Escape' && target === search) search.blur()
}

function Side(): VNode {
  const server = info.value?.server
  return (
    <div class="side">
      <div class="brand">
        <Mark />
        <div class="grow">
          <strong class="clip">{server?.title ?? server?.name ?? 'Causeway'}</strong>
          <span class="muted small">{server ? `version ${server.version}` : 'console'}</span>
        </div>
      </div>
      <nav class="views" aria-label="Views">
        {VIEWS.map(view => (
          <a key={view} href={href(view)} aria-current={route.value.view === view ? 'page' : undefined}>
            <Icon name={view as IconName} />
            {view}
            <ViewCount view={view} />
          </a>
        ))}
      </nav>
      <div class="foot">
        <Standing />
        <ThemeButton />
      </div>
    </div>
  )
}

/** How much there is in a view; part of no name. */
function ViewCount({ view }: { readonly view: View }): VNode | null {
  const size = (kind: keyof typeof lists): number => countOf(lists[kind].value?.items ?? [])
  const counts: Partial<Record<View, number>> = {
    Tools: size('tool'),
    Resources: size('resource') + size('template'),
    Prompts: size('prompt'),
    Servers: upstreams.value.length,
  }
  const number = counts[view] ?? 0
  return number === 0 ? null : (
    <span class="count" aria-hidden="true">
      {number.toLocaleString('en')}
    </span>
  )
}

function Standing(): VNode {
  const words = { connecting: 'Connecting…', ready: 'Connected', lost: 'Server not reachable' } as const
  const tone = { connecting: 'warn', ready: 'good', lost: 'bad' } as const
  const now = status.value === 'ready' || status.value === 'lost' ? status.value : 'connecting'
  return (
    <p class="row small muted status" role="status">
      <span class={`dot ${tone[now]}`} />
      {words[now]}
    </p>
  )
}

function ThemeButton(): VNode {
  const icons = { auto: 'half', light: 'sun', dark: 'moon' } as const
  const names = { auto: 'system', light: 'light', dark: 'dark' } as const
  return (
    <button type="button" class="button quiet mini" onClick={nextTheme} aria-label={`Theme: ${names[theme.value]}`}>
      <Icon name={icons[theme.value]} />
      <span class="status">{`Theme: ${names[theme.value]}`}</span>
    </button>
  )
}
