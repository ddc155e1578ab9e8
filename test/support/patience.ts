/** How long a test waits for what must come. Only what never comes is a failure, not a busy machine. */
export const PATIENCE_MS = 100_000
