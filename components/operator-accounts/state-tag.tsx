'use client'
import { useTranslations } from 'next-intl'
import { Dot, Tag, type Tone } from '../ui/tag.tsx'

const tones = {
  active: 'good',
  suspended: 'bad',
  closed: 'plain',
  open: 'good',
  redeemed: 'plain',
  withdrawn: 'warn',
  expired: 'warn',
  revoked: 'plain',
} as const satisfies Record<string, Tone>

/** The state of an account, a key or a code, in one word. */
export function StateTag({ state }: { state: keyof typeof tones }) {
  const t = useTranslations('operatorAccounts.states')
  return (
    <Tag tone={tones[state]}>
      <Dot tone={tones[state]} />
      {t(state)}
    </Tag>
  )
}
