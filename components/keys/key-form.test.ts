import { describe, expect, it } from 'vitest'
import type { KeyRow } from '#lib/contracts/keys'
import { changesOf, emptyKeyForm, formOfKey, type KeyForm, readKeyForm } from './key-form.ts'

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
    expect(read({ rpm: '6,0' }).faults).toEqual({ rpm: 'rate' })
    expect(read({ rpm: '2000000' }).faults).toEqual({ rpm: 'rate' })
  })
})

describe('the form of a key that exists', () => {
  const key: KeyRow = {
    id: 'key_1',
    name: 'prod',
    hint: 'sk-tg-…9fQ2',
    groupId: 'grp_1',
    groupName: 'main',
    state: 'expired',
    createdAt: '2026-01-01T00:00:00.000Z',
    lastUsedAt: null,
    expiresAt: new Date('2026-11-01T12:34:56').toISOString(),
    limitTotalNano: '5000000001',
    limitMonthNano: null,
    spentNano: '0',
    spentMonthNano: '0',
    requests: 0,
    modelAllow: ['a/b'],
    addressAllow: ['203.0.113.7', '2001:db8::/32'],
    rpm: 60,
    tpm: null,
    historyEnabled: true,
    former: [],
  }
  const changed = (changes: Partial<KeyForm>) => {
    const initial = formOfKey(key)
    const { input, faults } = readKeyForm({ ...initial, ...changes }, now, initial.expires)
    return input === null ? faults : changesOf(key, input)
  }

  it('changes nothing when it is saved as it is, though its last day has passed', () => {
    expect(changed({})).toEqual({})
  })
  it('changes what was typed over, and no more', () => {
    expect(changed({ name: 'new', limitTotal: '', rpm: '61' })).toEqual({ name: 'new', limitTotalNano: null, rpm: 61 })
    expect(changed({ models: [], addresses: '203.0.113.7' })).toEqual({ modelAllow: [], addressAllow: ['203.0.113.7'] })
    expect(changed({ expires: '' })).toEqual({ expiresAt: null })
    expect(changed({ expires: '2026-12-01' })).toEqual({ expiresAt: new Date('2026-12-01T23:59:59').toISOString() })
  })
  it('takes no other day that has passed', () => {
    expect(changed({ expires: '2026-11-02' })).toEqual({ expiresAt: 'expiry' })
  })
})
