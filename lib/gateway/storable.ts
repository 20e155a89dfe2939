import type { Attempt } from '../domain/settlement.ts'

/** Text that PostgreSQL accepts: nothing that a client or a vendor wrote may make a charge impossible to record. */
export const storable = (text: string, most: number): string => text.slice(0, most).toWellFormed().replaceAll('\0', '\ufffd')

/** An error text as a usage record keeps it. */
export const storableError = (text: string | null | undefined): string | null => (text == null ? null : storable(text, 1000))

/** The calls to vendors as a usage record keeps them. */
export const storableTrace = (trace: readonly Attempt[]): Attempt[] =>
  trace.map((attempt) => (attempt.detail === null ? attempt : { ...attempt, detail: storable(attempt.detail, 200) }))
