import type { Attempt } from '../domain/settlement.ts'

/** Text that PostgreSQL accepts: nothing that a client or a vendor wrote may make a charge impossible to record. */
export const toStorable = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).toWellFormed().replaceAll('\0', '\ufffd')

/** An error text as a usage record keeps it. */
export const toStorableError = (text: string | null | undefined): string | null => (text == null ? null : toStorable(text, 1000))

/** The calls to vendors as a usage record keeps them. */
export const toStorableTrace = (trace: readonly Attempt[]): Attempt[] =>
  trace.map((attempt) => (attempt.detail === null ? attempt : { ...attempt, detail: toStorable(attempt.detail, 200) }))
