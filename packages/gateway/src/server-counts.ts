/** What was counted of a server. */
export interface ServerCounts {
  readonly server: string
  /** 1 if it cannot be used now. */
  readonly failing: number
  /** 1 for the state it is in: `running`, `starting`, `idle`, `failed`, `login`, or `open` while its calls are refused. */
  readonly states: Readonly<Record<string, number>>
  /** How often calls were refused for a while. */
  readonly pauses: number
  readonly calls: number
  readonly failures: number
  readonly restarts: number
}
