/** How many bytes a reader of a stream may be behind before it is taken for gone or hostile; it can come back and resume. */
export const FAR_BEHIND: number = 4 * 1024 * 1024

/** How long it may stay that far behind. */
export const BEHIND_MS = 1_000
