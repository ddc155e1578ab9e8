/** One thing that a file takes from others, as written. */
export interface Link {
  readonly to: string
  readonly line: number
  /** `type`: only its types; `augments`: to add to them; `declares`: as a part of itself; `system`: in angle brackets; `path`: in passing. */
  readonly how?: 'type' | 'augments' | 'declares' | 'system' | 'path' | undefined
  /** The module inside of the file that it stands in. */
  readonly within?: string | undefined
  /** What it is called here, where that matters; `*` if all that is there can be had from here. */
  readonly as?: string | undefined
  /** Others may use what it leads to from here. */
  readonly open?: boolean | undefined
}

/** What one file says about others, and what others may find in it. */
export interface Links {
  readonly links: readonly Link[]
  /** The namespaces or packages that its code is in. */
  readonly namespaces?: readonly string[]
  /** What it defines, with namespaces or modules before it, where files are found by that. */
  readonly defines?: readonly string[]
  /** Words of its code that may name types, each with the line where it first stands. */
  readonly names?: readonly (readonly [name: string, line: number])[]
}
