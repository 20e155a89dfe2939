import { parseDecimal } from '#lib/domain/money'

/**
 * An amount as people type it (`5`, `0.25`, `1,000.50`, `$5`) in nano-dollars, digit by digit; null where nothing was
 * typed.
 */
export function readAmount(text: string): { value: string | null } | { fault: 'amount' } {
  const bare = text
    .trim()
    .replace(/^\$\s*/, '')
    .replace(/,(?=\d{3}(\D|$))/g, '')
  if (bare === '') return { value: null }
  const nano = parseDecimal(bare.startsWith('.') ? `0${bare}` : bare)
  return nano === null || nano <= 0n || nano > 1_000_000_000_000_000_000n ? { fault: 'amount' } : { value: nano.toString() }
}
