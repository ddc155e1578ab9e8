import type { Principal } from '../auth/principal.ts'
import type { ApprovalRule, RightsLimits, ShelfKind } from './rules.ts'

/** What the rules say of one thing, and which rule says it. */
export interface Decision {
  readonly allowed: boolean
  /** The number of the rule that decides, from 0: the first that denies it, else the first that allows it. Undefined if none does. */
  readonly rule: number | undefined
}

/** A rule, with the number that tells its limits from those of others. */
export interface LimitRule<K extends keyof RightsLimits> {
  readonly rule: number
  readonly limit: NonNullable<RightsLimits[K]>
}

/** What one caller may use. The same object as long as the rules and those that name the caller are the same. */
export interface Grant {
  /** Has any of the rules a limit? */
  readonly limits: boolean
  decide(kind: ShelfKind, key: string): Decision
  /** May the caller use it, and see it in lists? */
  offers(kind: ShelfKind, key: string): boolean
  /** The first rule that allows it and has that limit. */
  limitOf<K extends keyof RightsLimits>(name: K, kind: ShelfKind, key: string): LimitRule<K> | undefined
  /** What all rules that allow it want to be approved. */
  approvals(kind: ShelfKind, key: string): readonly ApprovalRule[]
}

/** The rights of all callers; none where nothing is restricted. */
export interface Rights {
  of(principal: Principal | undefined): Grant | undefined
}
