'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { emptyResult, type OperatorAccount } from '#lib/contracts/operator-accounts'
import { sendJson } from '../fetch-json.ts'
import { notLoaded } from '../not-loaded.tsx'
import { accountApi } from '../operator/paths.ts'
import { useMayChange } from '../operator/use-may-change.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { useErrorText } from '../use-error-text.ts'
import { useRefusals } from './use-refusals.ts'

const ActDialog = dynamic(() => import('./reason-dialog.tsx').then((module) => module.ReasonDialog).catch(notLoaded), {
  ssr: false,
})

/** Suspends an account with a reason, or resumes it. Hidden if the server would refuse. */
export function SuspendButton({ account, onDone }: { account: OperatorAccount; onDone: () => void }) {
  const t = useTranslations('operatorAccounts')
  const errorText = useErrorText()
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const { isOwn, isOwnersOnly } = useRefusals(account)
  if (!useMayChange() || isOwn || isOwnersOnly || account.state === 'closed') return null
  const { id, name } = account
  const suspend = async ({ reason }: { reason: string }) => {
    await sendJson('POST', accountApi(id, '/suspend'), emptyResult, { reason })
    toast.success(t('suspendDone', { name }))
    setAsking(false)
    onDone()
  }
  const resume = async () => {
    setBusy(true)
    try {
      await sendJson('POST', accountApi(id, '/resume'), emptyResult)
      toast.success(t('resumeDone', { name }))
    } catch (failure) {
      toast.error(t('notDone', { name }), { description: errorText(failure) })
    }
    setBusy(false)
    onDone()
  }
  const suspended = account.state === 'suspended'
  return (
    <>
      <Button disabled={busy} onClick={() => (suspended ? void resume() : setAsking(true))}>
        {t(suspended ? 'resume' : 'suspend')}
      </Button>
      {asking && (
        <ActDialog
          title={t('suspendTitle', { name })}
          text={t('suspendText')}
          action={t('suspend')}
          danger
          withAmount={false}
          reasonHint={t('reasonSeen')}
          onSubmit={suspend}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
