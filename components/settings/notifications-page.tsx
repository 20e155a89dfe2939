'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { type EmailPreferences, emailPreferences } from '#lib/contracts/account'
import { sendJson } from '../fetch-json.ts'
import { LoadFailed } from '../load-failed.tsx'
import { toast } from '../toast.ts'
import { Card, CardHeader } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'

const PATH = '/api/account/mails'
const kinds = ['lowBalance', 'receipts', 'alerts'] as const

const NotificationsSkeleton = () => (
  <div className="mt-4 flex flex-col gap-5">
    {kinds.map((kind) => (
      <div key={kind} className="flex flex-col gap-2">
        <Skeleton className="h-4 w-44" />
        <Skeleton className="h-3.5 w-full max-w-sm" />
      </div>
    ))}
  </div>
)

/** Which emails the user wants. A change is saved at once and can be undone. */
export function NotificationsPage() {
  const t = useTranslations('account')
  const errorText = useErrorText()
  const { data, error, mutate } = useApi(PATH, emailPreferences)
  const save = async (kind: keyof EmailPreferences, on: boolean, isUndo = false) => {
    if (data === undefined) return
    try {
      await mutate(() => sendJson('POST', PATH, emailPreferences, { [kind]: on }), {
        optimisticData: (_, shown) => ({ ...(shown ?? data), [kind]: on }),
        rollbackOnError: true,
        revalidate: false,
      })
      if (isUndo) toast.success(t('undone'))
      else toast.success(t('mailsKept'), { action: { label: t('undo'), onClick: () => void save(kind, !on, true) } })
    } catch (failure) {
      toast.error(t('mailsFailed'), { description: errorText(failure) })
    }
  }
  const link = (chunks: ReactNode) => (
    <Link href="/billing" className="underline decoration-third underline-offset-4 hover:decoration-ink">
      {chunks}
    </Link>
  )
  return (
    <Card>
      <CardHeader title={t('mailsTitle')} />
      <p className="mt-1 max-w-prose text-second">{t.rich('mailsText', { link })}</p>
      {data === undefined &&
        (error === undefined ? <NotificationsSkeleton /> : <LoadFailed error={error} onRetry={() => void mutate()} />)}
      {data !== undefined && (
        <div className="mt-4 flex flex-col gap-4">
          {kinds.map((kind) => (
            <Checkbox
              key={kind}
              checked={data[kind]}
              onChange={(on) => void save(kind, on)}
              label={<span className="font-medium">{t(`mails.${kind}`)}</span>}
              hint={t(`mailHints.${kind}`)}
            />
          ))}
        </div>
      )}
    </Card>
  )
}
