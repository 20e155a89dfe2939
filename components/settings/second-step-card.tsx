'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { Security } from '#lib/contracts/sign-in'
import { notLoaded } from '../not-loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Tag } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'

// Few readers change this, so the dialogs and the QR code are loaded when they are opened.
const SetUpDialog = dynamic(
  () => import('./second-step-setup-dialog.tsx').then((file) => file.SecondStepSetupDialog).catch(notLoaded),
  { ssr: false },
)
const ProofDialog = dynamic(() => import('./proof-dialog.tsx').then((file) => file.ProofDialog).catch(notLoaded), { ssr: false })

/** With fewer recovery codes than this, their number is highlighted, because the user should make new ones. */
const LOW_RECOVERY_CODES = 3

/** Turns the second step on and off, and makes new recovery codes. */
export function SecondStepCard({ data, onChanged }: { data: Security; onChanged: () => void }) {
  const t = useTranslations('security.second')
  const format = useFormat()
  const [open, setOpen] = useState<'set-up' | 'disable' | 'codes' | null>(null)
  const on = data.secondStep
  const close = () => {
    setOpen(null)
    onChanged()
  }
  return (
    <Card>
      <CardHeader title={t('title')}>
        <Tag tone={on ? 'good' : 'plain'}>{t(on ? 'on' : 'off')}</Tag>
      </CardHeader>
      <p className="mt-1 max-w-prose text-second">{on ? t('onText', { date: format.date(on.since) }) : t('offText')}</p>
      {on && (
        <p className={on.recoveryLeft < LOW_RECOVERY_CODES ? 'mt-2 text-bad' : 'mt-2'}>{t('left', { count: on.recoveryLeft })}</p>
      )}
      {!data.emailVerified && !on && <p className="mt-2">{t('needsAddress')}</p>}
      <div className="mt-4 flex flex-wrap gap-2">
        {on ? (
          <>
            <Button onClick={() => setOpen('codes')}>{t('newCodes')}</Button>
            <Button onClick={() => setOpen('disable')}>{t('turnOff')}</Button>
          </>
        ) : (
          <Button disabled={!data.emailVerified} onClick={() => setOpen('set-up')}>
            {t('turnOn')}
          </Button>
        )}
      </div>
      {open === 'set-up' && <SetUpDialog hasPassword={data.hasPassword} onClose={close} />}
      {(open === 'disable' || open === 'codes') && <ProofDialog what={open} hasPassword={data.hasPassword} onClose={close} />}
    </Card>
  )
}
