import { formatDecimal } from '../domain/money.ts'

/** Totals over all accounts, as decimal strings in nano-dollars, except for the counts `accounts` and `requests`. */
export type AuditSums = Record<
  'accounts' | 'credits' | 'reversals' | 'deductions' | 'charges' | 'requests' | 'shortfall' | 'balance' | 'leased' | 'owed',
  string
>

/** A rule, and the rows that break it. */
export interface AuditCheck {
  name: string
  rows: { id: string; expected: string; found: string }[]
}

export interface AuditReport {
  balanced: boolean
  lines: string[]
}

const MAX_SHOWN_ROWS = 20
const column = (text: string, width: number): string => text.padEnd(width)
const money = (nano: string): string => formatDecimal(BigInt(nano)).padStart(24)

/**
 * Proves the books: compares every stored figure with the records it is derived from, and checks that credits - deductions +
 * reversals - charges = balance - owed over all accounts.
 */
export function buildAuditReport({ sums, checks }: { sums: AuditSums; checks: AuditCheck[] }): AuditReport {
  const explained = BigInt(sums.credits) - BigInt(sums.deductions) + BigInt(sums.reversals) - BigInt(sums.charges)
  const kept = BigInt(sums.balance) - BigInt(sums.owed)
  const broken = checks.filter((check) => check.rows.length > 0)
  const lines = [
    `${column('accounts', 28)}${sums.accounts.padStart(24)}`,
    `${column('requests', 28)}${sums.requests.padStart(24)}`,
    `${column('credits', 28)}${money(sums.credits)}`,
    `${column('- deductions', 28)}${money(sums.deductions)}`,
    `${column('+ reversals', 28)}${money(sums.reversals)}`,
    `${column('- charges', 28)}${money(sums.charges)}`,
    `${column('= explained', 28)}${money(String(explained))}`,
    `${column('balances - debts', 28)}${money(String(kept))}`,
    `${column('of which leased', 28)}${money(sums.leased)}`,
    `${column('borne by the operator', 28)}${money(sums.shortfall)}`,
    '',
    ...checks.map((check) => `${check.rows.length === 0 ? 'ok   ' : 'WRONG'} ${check.name}`),
    ...broken.flatMap((check) =>
      check.rows
        .slice(0, MAX_SHOWN_ROWS)
        .map((row) => `      ${row.id}: ${check.name}: records say ${row.expected}, books say ${row.found}`),
    ),
  ]
  const balanced = explained === kept && broken.length === 0
  return { balanced, lines: [...lines, '', balanced ? 'The books balance.' : 'THE BOOKS DO NOT BALANCE.'] }
}
