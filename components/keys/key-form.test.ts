import { describe, expect, it } from 'vitest'
import { emptyKeyForm, type KeyForm, readKeyForm } from './key-form.ts'

const now = new Date('2026-11-20T12:00:00Z')
const form = (changes: Partial<KeyForm>): KeyForm => ({ ...emptyKeyForm('grp_1'), name: 'prod', ...changes })
const read = (changes: Partial<KeyForm>) => readKeyForm(form(changes), now)

describe('readKeyForm', () => {
  it('maps a form with nothing but a name', () => {
    expect(read({}).input).toEqual({
      name: 'prod',
      groupId: 'grp_1',
      expiresAt: null,
      limitTotalNano: null,
      limitMonthNano: null,
      modelAllow: [],
      addressAllow: [],
      rpm: null,
      tpm: null,
      historyEnabled: true,
    })
  })

  it.each([
    ['5', '5000000000'],
    ['0.1', '100000000'],
    ['.000000001', '1'],
    ['$1,000.50', '1000500000000'],
    [' 0.300000000 ', '300000000'],
  ])('reads the amount %s exactly', (limitTotal, nano) => {
    expect(read({ limitTotal }).input?.limitTotalNano).toBe(nano)
  })

  it.each(['0', '-1', 'five', '1e3', '0.0000000001', '1,5', '1000000001'])('refuses the amount %s', (limitMonth) => {
    expect(read({ limitMonth }).faults).toEqual({ limitMonthNano: 'amount' })
  })

  it('splits addresses at commas, spaces and lines', () => {
    const { input } = read({ addresses: '203.0.113.7, 2001:db8::/32\n10.0.0.0/8' })
    expect(input?.addressAllow).toEqual(['203.0.113.7', '2001:db8::/32', '10.0.0.0/8'])
  })

  it('lets a key live to the end of its last day', () => {
    expect(read({ expires: '2026-12-01' }).input?.expiresAt).toBe(new Date('2026-12-01T23:59:59').toISOString())
    expect(read({ expires: '2026-11-01' }).faults).toEqual({ expiresAt: 'expiry' })
  })

  it('names every field at fault', () => {
    expect(read({ name: ' ', groupId: '', rpm: '1.5', tpm: '0', addresses: 'x' }).faults).toEqual({
      name: 'name',
      groupId: 'group',
      rpm: 'rate',
      tpm: 'rate',
      addressAllow: 'address',
    })
    expect(read({ rpm: '60', tpm: '100,000' }).input).toMatchObject({ rpm: 60, tpm: 100_000 })
    expect(read({ rpm: '2000000' }).faults).toEqual({ rpm: 'rate' })
  })
})
