/** How a check ended. */
export type Status = 'ok' | 'warn' | 'fail'

/** What a check found. */
export interface Finding {
  readonly check: string
  readonly status: Status
  readonly message: string
  /** What to do about it. */
  readonly fix?: string
  /** Does it, where that is safe. */
  readonly repair?: () => void
}

/** A check that found nothing to do. */
export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })

/** The words of anything thrown. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
