import { expect, it } from 'vitest'
import { receipt } from '#lib/contracts/requests'
import { attemptsView, receiptView } from './receipt-view.ts'

const record = { groupName: 'main', chargedNano: 9n, estimated: true }

it.each([[{}], [null], [[]], ['text'], [{ lines: 'none', multiplierBp: 'x', totalNano: '1.5', priceFrom: 'never', why: 3 }]])(
  'takes what the receipt %j lacks from the record',
  (stored) => {
    const view = receipt.parse(receiptView({ ...record, receipt: stored }))
    expect(view).toEqual({
      ...{ priceId: null, priceFrom: null, lines: [], groupName: 'main', multiplierBp: 10_000 },
      ...{ totalNano: '9', exact: false, why: null },
    })
  },
)

it('shows an estimate with its reason', () => {
  const stored = { exact: false, why: 'the client left', lines: [{ unit: 'input', count: '5', priceNano: '2', amountNano: '1' }] }
  expect(receiptView({ ...record, receipt: stored })).toMatchObject({ exact: false, why: 'the client left', lines: stored.lines })
})

it('leaves out tries that it cannot read', () => {
  const good = { deployment: 'dep', connection: 'con', model: 'm', status: null, tookMs: 1, result: 'refused', detail: 'x' }
  expect(attemptsView([good, { deployment: 1 }, null])).toEqual([good])
  expect(attemptsView({ attempts: [good] })).toEqual([good])
  expect(attemptsView(null)).toEqual([])
  const { model: _, detail: __, ...older } = good
  expect(attemptsView([older])).toEqual([{ ...older, model: '', detail: null }])
})
