/** When `tools/list` shows tools to search with in the place of the tools themselves. */
export type SearchMode = 'auto' | 'on' | 'off'

/** Which of the tools that are served a list shows; the others are found by search, and all can be called by their names. */
export interface ListingOptions {
  /** Groups of tools, by name. */
  readonly toolsets?: Readonly<Record<string, readonly string[]>>
  /** Toolsets and tools that are listed, of those that belong to a toolset; the others are listed anyway. Default: all. */
  readonly listed?: readonly string[]
  /** Toolsets and tools that are listed, and stay so where search takes over. */
  readonly pinned?: readonly string[]
  /** Which server of the user's a tool belongs to; these are named by `find_tools`, and small ones stay listed. Default: none. */
  readonly serverOf?: (tool: string) => string | undefined
  /** Have output schemas in lists; results are structured either way, and `describe_tool` shows the schemas. Default: true. */
  readonly outputSchemas?: boolean
  /**
   * `on` lists what is pinned and the tools to search with; `auto` does so where the list would cost more tokens than the
   * threshold, and adds the tools to search with where something is not listed. Default: `auto`.
   */
  readonly search?: SearchMode
  /** Tokens a list may cost before search takes over, as `estimateTokens` counts them. */
  readonly threshold?: number
  /** Let tools that a session found appear in its list, and tell it that the list changed. Default: false. */
  readonly promote?: boolean
}

/** Tokens a list may cost before search takes over, unless something else is chosen. */
export const SEARCH_THRESHOLD = 10_000
