import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

// Runs in the browser: the official host's side of a view, as a program that embeds the official library has it.

interface Shown {
  readonly html: string
  readonly input: Record<string, unknown>
  readonly result: Parameters<AppBridge['sendToolResult']>[0]
}

type CallTool = (name: string, args: unknown) => Promise<Awaited<ReturnType<NonNullable<AppBridge['oncalltool']>>>>

/** What the test and this page have of each other. */
interface Shared {
  callTool: CallTool
  show(shown: Shown): Promise<void>
  theme(theme: 'light' | 'dark'): void
  readonly heights: number[]
  readonly said: string[]
}

/** As much of a browser's page as is used here. */
interface Page {
  readonly body: { append(element: Frame): void }
  createElement(name: 'iframe'): Frame
  querySelector(selector: string): { remove(): void } | null
}

interface Frame {
  srcdoc: string
  readonly contentWindow: unknown
  setAttribute(name: string, value: string): void
}

const shared = globalThis as unknown as Shared & { document: Page; heights: number[]; said: string[] }
shared.heights = []
shared.said = []

let bridge: AppBridge

shared.show = async ({ html, input, result }) => {
  shared.document.querySelector('iframe')?.remove()
  const frame = shared.document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.setAttribute('width', '900')
  frame.setAttribute('height', '700')
  shared.document.body.append(frame)
  const host = { name: 'official-host', version: '1.0.0' }
  const capabilities = { serverTools: {}, message: { text: {} } }
  bridge = new AppBridge(null, host, capabilities, { hostContext: { theme: 'light', displayMode: 'inline' } })
  bridge.oncalltool = ({ name, arguments: args }) => shared.callTool(name, args ?? {})
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event of a page
  bridge.onmessage = async ({ content }) => {
    shared.said.push(...content.flatMap(block => (block.type === 'text' ? [block.text] : [])))
    return {}
  }
  bridge.onsizechange = ({ height }) => void (height !== undefined && shared.heights.push(height))
  const ready = new Promise<void>(resolve => {
    bridge.oninitialized = () => resolve()
  })
  const window = frame.contentWindow as never
  await bridge.connect(new PostMessageTransport(window, window))
  frame.srcdoc = html
  await ready
  await bridge.sendToolInput({ arguments: input })
  await bridge.sendToolResult(result)
}

shared.theme = theme => bridge.setHostContext({ theme, displayMode: 'inline' })
