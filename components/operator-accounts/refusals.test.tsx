import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { OperatorAccount } from '#lib/contracts/operator-accounts'
import type { Me, Role } from '#lib/contracts/session'
import en from '../messages/en.json' with { type: 'json' }
import { PreloadedData } from '../preloaded-data.tsx'
import { KeysCard } from './keys-card.tsx'
import { MoneyCard } from './money-card.tsx'
import { PeopleCard } from './people-card.tsx'
import { RefusalNote } from './refusal-note.tsx'
import { SuspendButton } from './suspend-button.tsx'

const reader = (role: Role): Me => ({
  ...{ name: 'Ada', email: 'ada@example.com', emailVerified: true, mail: true, role, accountId: 'acc_ada' },
  ...{ suspended: false, suspendedReason: null, baseUrl: 'http://localhost/v1', sandboxOnly: false, maintenance: false },
  notice: null,
})

const account = (id: string, role: Role, more: Partial<OperatorAccount['people'][number]> = {}): OperatorAccount => ({
  ...{ id, name: 'Bea', state: 'active', suspendedAt: null, suspendedReason: null, createdAt: '2026-11-22T10:00:00.000Z' },
  ...{ balanceNano: '0', leasedNano: '0', owedNano: '0', spentMonthNano: '0', groups: [] },
  waitingPayments: [],
  people: [
    {
      ...{ id: 'usr_bea', email: id === 'acc_ada' ? 'ada@example.com' : 'bea@example.com', name: 'Bea', role },
      ...{ emailVerified: true, secondStep: false, sessions: 1, lastSeenAt: null, createdAt: '2026-11-22T10:00:00.000Z' },
      ...more,
    },
  ],
  keys: [
    {
      ...{ id: 'key_1', name: 'Laptop', hint: 'sk-tg-…abcd', groupName: 'default', state: 'active' },
      ...{ createdAt: '2026-11-22T10:00:00.000Z', lastUsedAt: null },
    },
  ],
})

const show = (me: Me, node: ReactNode): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC" now={new Date('2026-11-22T11:00:00Z')}>
      <PreloadedData data={{ '/api/me': me }}>{node}</PreloadedData>
    </NextIntlClientProvider>,
  )

/** The buttons and roles that a person with this role can use on the page of an account. */
function seen(me: Me, of: OperatorAccount): { buttons: string[]; roles: string[]; note: string } {
  const done = () => undefined
  const html = show(
    me,
    <>
      <SuspendButton account={of} onDone={done} />
      <MoneyCard account={of} onDone={done} />
      <PeopleCard account={of} onDone={done} />
      <KeysCard account={of} onDone={done} />
    </>,
  )
  const texts = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, text = '']) => text.replace(/<[^>]*>/g, ''))
  return {
    buttons: texts(/<button[^>]*>(.*?)<\/button>/g),
    roles: texts(/<option[^>]*>(.*?)<\/option>/g),
    note: show(me, <RefusalNote account={of} />).replace(/<[^>]*>/g, ''),
  }
}

const [SUSPEND, GRANT, DEDUCT, SIGN_OUT, REVOKE] = ['Suspend', 'Grant', 'Deduct', 'Sign out everywhere', 'Revoke']
const ALL_BUTTONS = [SUSPEND, GRANT, DEDUCT, SIGN_OUT, REVOKE]
const RESET = 'Reset two-step verification'
const ALL_ROLES = ['Owner', 'Operator', 'Support', 'Account holder']

describe('what somebody is offered on an account is what the server does for them', () => {
  it.each<[Role, string, Role, string[], RegExp]>([
    ['operator', 'acc_bea', 'holder', ALL_BUTTONS, /^$/],
    ['operator', 'acc_bea', 'operator', ALL_BUTTONS, /^$/],
    ['operator', 'acc_bea', 'owner', [], /an owner’s account/],
    ['operator', 'acc_ada', 'operator', [SIGN_OUT, REVOKE], /your own account.*only owners can change its balance/],
    ['owner', 'acc_bea', 'owner', ALL_BUTTONS, /^$/],
    ['owner', 'acc_ada', 'owner', [GRANT, DEDUCT, SIGN_OUT, REVOKE], /your own account[^,]*$/],
    ['support', 'acc_bea', 'holder', [], /^$/],
    ['support', 'acc_bea', 'owner', [], /^$/],
  ])('%s, %s of a person who is %s: %j', (role, id, theirs, buttons, note) => {
    const found = seen(reader(role), account(id, theirs))
    expect(found.buttons).toEqual(buttons)
    expect(found.note).toMatch(note)
    // Only an owner assigns roles, and never their own.
    expect(found.roles).toEqual(role === 'owner' && id !== 'acc_ada' ? ALL_ROLES : [])
  })

  it('an operator signs out who is no owner, though an owner is in the same account', () => {
    const of = account('acc_bea', 'owner')
    const [person] = of.people
    const two = {
      ...of,
      people: [...of.people, { ...(person as (typeof of.people)[number]), id: 'usr_c', name: 'Cleo', role: 'holder' as const }],
    }
    expect(seen(reader('operator'), two).buttons).toEqual([SIGN_OUT])
    expect(show(reader('operator'), <PeopleCard account={two} onDone={() => undefined} />)).toContain('Sign Cleo out everywhere')
  })

  it('an owner resets the second step of somebody else who has one', () => {
    const withStep = { secondStep: true }
    const offered = (role: Role, id: string) => seen(reader(role), account(id, 'operator', withStep)).buttons.includes(RESET)
    expect(offered('owner', 'acc_bea')).toBe(true)
    expect(offered('owner', 'acc_ada')).toBe(false)
    expect(offered('operator', 'acc_bea')).toBe(false)
    expect(offered('support', 'acc_bea')).toBe(false)
  })

  it('an address that nobody has confirmed has the way to no role but the least', () => {
    const unproved = { emailVerified: false }
    expect(seen(reader('owner'), account('acc_bea', 'holder', unproved)).roles).toEqual([])
    expect(
      show(reader('owner'), <PeopleCard account={account('acc_bea', 'holder', unproved)} onDone={() => undefined} />),
    ).toContain('once the address is confirmed')
    expect(seen(reader('owner'), account('acc_bea', 'support', unproved)).roles).toEqual(['Support', 'Account holder'])
  })
})
