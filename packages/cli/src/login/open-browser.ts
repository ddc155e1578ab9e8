import { spawn } from 'node:child_process'

type Environment = Readonly<Record<string, string | undefined>>

/** The program that opens a URL on this system, with its arguments; undefined where there is no screen. */
export function browserCommand(
  url: string,
  platform: NodeJS.Platform = process.platform,
  env: Environment = process.env,
): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return env.SSH_CONNECTION ? undefined : ['open', url]
  // No shell, which would give & a meaning.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open', url] : undefined
}

/** Open a URL in the person's browser, if there is one. Whether that works is not known: the link is printed, too. */
export function openBrowser(url: string): void {
  const [program, ...args] = browserCommand(url) ?? []
  if (program === undefined) return
  try {
    const child = spawn(program, args, { stdio: 'ignore', detached: true })
    child.on('error', () => {})
    child.unref()
  } catch {
    // The link was printed.
  }
}
