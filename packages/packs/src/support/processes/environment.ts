import { delimiter, isAbsolute } from 'node:path'

// What programs need to find themselves, their caches and the network; nothing that carries a secret by its nature.
const KEPT = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP TERM_PROGRAM
  JAVA_HOME JDK_HOME M2_HOME MAVEN_HOME GOPATH GOROOT GOCACHE GOMODCACHE GOFLAGS CARGO_HOME RUSTUP_HOME
  RUSTUP_TOOLCHAIN DOTNET_ROOT DOTNET_CLI_HOME NUGET_PACKAGES PYENV_ROOT PYENV_VERSION VIRTUAL_ENV UV_CACHE_DIR
  UV_PYTHON PNPM_HOME NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR
  NO_PROXY no_proxy
  SYSTEMROOT SystemRoot COMSPEC ComSpec PATHEXT APPDATA LOCALAPPDATA USERPROFILE HOMEDRIVE HOMEPATH ProgramFiles
  ProgramData windir`.split(/\s+/),
)
const FAMILIES = /^(?:LC_|XDG_)/
const PROXIES = /^(?:(?:https?|all)_proxy|goproxy)$/i

// A proxy's address may carry its password.
const isPassedOn = (name: string, value = ''): boolean =>
  KEPT.has(name) || FAMILIES.test(name) || (PROXIES.test(name) && !value.includes('@'))

/** What may be chosen about the environment of a child. */
export interface Surroundings {
  /** More variables to pass on, by name. */
  readonly also?: readonly string[]
  /** Which directories programs may be found in; all that are absolute, if it accepts none or is not given. */
  readonly accepts?: (directory: string) => boolean
}

/** The part of our environment that a child gets: what tools need, and no secrets. */
export function environment({ also = [], accepts = () => true }: Surroundings = {}): Record<string, string> {
  const passed = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && (isPassedOn(...entry) || also.includes(entry[0])),
  )
  const kept = Object.fromEntries(passed)
  // A relative entry would find programs in whatever directory the child runs in.
  const folders = (kept.PATH ?? '').split(delimiter).filter(folder => isAbsolute(folder))
  const accepted = folders.filter(accepts)
  return { ...kept, PATH: (accepted.length > 0 ? accepted : folders).join(delimiter), TERM: 'dumb', NO_COLOR: '1' }
}
