import { parseDecimal } from '#lib/domain/money'

const GROUPED = /^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/

/**
 * Removes the commas between thousands from a typed number: `1,000.50` is 1000.50. Any other comma stays, so that the number is
 * rejected later: `0,500` could mean a half or five hundred.
 */
export function withoutGroups(text: string): string {
  const bare = text.trim()
  return GROUPED.test(bare) ? bare.replaceAll(',', '') : bare
}

/** Converts an amount as people type it (`5`, `0.25`, `1,000.50`, `$5`) exactly to nano-dollars. Null if nothing was typed. */
export function readAmount(text: string): { value: string | null } | { fault: 'amount' } {
  const bare = withoutGroups(text.trim().replace(/^\$/, ''))
  if (bare === '') return { value: null }
  const nano = parseDecimal(bare.startsWith('.') ? `0${bare}` : bare)
  return nano === null || nano <= 0n || nano > 1_000_000_000_000_000_000n ? { fault: 'amount' } : { value: nano.toString() }
}
