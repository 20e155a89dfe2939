'use client'
import { MailCheck } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { z } from 'zod'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { useErrorText } from '../use-error-text.ts'
import { Notice, noticeTags } from './notice.tsx'

/** Asks the user to confirm their address, and can send the link again. */
export function VerifyNotice({ email, mail }: { email: string; mail: boolean }) {
  const t = useTranslations('verifyNotice')
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const resend = async () => {
    setBusy(true)
    try {
      await sendJson('POST', '/api/settings/verification', z.unknown())
      toast.success(t(mail ? 'resent' : 'resentLog', { email }))
    } catch (error) {
      toast.error(errorText(error))
    }
    setBusy(false)
  }
  return (
    <Notice
      tone="plain"
      icon={<MailCheck aria-hidden />}
      action={
        <button
          type="button"
          disabled={busy}
          onClick={() => void resend()}
          className="font-medium underline underline-offset-4 disabled:opacity-55"
        >
          {t(mail ? 'resend' : 'resendLog')}
        </button>
      }
    >
      {t.rich(mail ? 'text' : 'log', { email, ...noticeTags })}
    </Notice>
  )
}
