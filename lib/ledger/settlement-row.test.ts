import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nano } from '../domain/money.ts'
import type { Receipt } from '../domain/price.ts'
import type { Settlement } from '../domain/settlement.ts'
import type { StoredText } from '../domain/stored-text.ts'
import type { Unit } from '../domain/usage.ts'
import { settlementRow } from './settlement-row.ts'

const AT = new Date('2026-11-24T10:00:00.000Z')

const settlement = (receipt: Receipt) =>
  ({ keyId: 'key_1', accountId: 'acc_1', at: AT, budgets: [], budgetLeases: [], trace: [], receipt }) as unknown as Settlement

test('a receipt says what it was told, whatever characters that has', () => {
  const odd = fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\u0000', '\u001e', ',', ':', '{', '}', 'a', '0', '界', '\ud800'),
  })
  fc.assert(
    fc.property(odd, odd, odd, odd, (unit, groupName, priceId, why) => {
      const receipt: Receipt = {
        priceId,
        priceFrom: AT,
        groupName,
        multiplierBp: 10_000n,
        lines: [{ unit: unit as Unit, count: 1n, price: 40_000_000_000n, amount: nano(40_000n) }],
        total: nano(40_000n),
        vendorCost: nano(0n),
        certainty: { exact: false, why: why as StoredText },
      }
      expect(JSON.parse(settlementRow(settlement(receipt)).receipt)).toEqual({
        priceId,
        priceFrom: AT.toISOString(),
        groupName,
        multiplierBp: 10_000,
        lines: [{ unit, count: '1', priceNano: '40000000000', amountNano: '40000' }],
        totalNano: '40000',
        exact: false,
        why,
      })
    }),
  )
})
