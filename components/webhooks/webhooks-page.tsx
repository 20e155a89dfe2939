'use client'
import { Plus, Webhook } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { WebhookRow, WebhookSecret } from '#lib/contracts/webhooks'
import { LoadFailed } from '../load-failed.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { DeliveriesCard } from './deliveries-card.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { useWebhooks } from './use-webhooks.ts'
import { WebhookDialog } from './webhook-dialog.tsx'
import { type WebhookActions, WebhookItem } from './webhook-item.tsx'

const WebhooksSkeleton = () => (
  <div className="mt-3 flex flex-col gap-4">
    {[1, 2].map((line) => (
      <div key={line} className="flex flex-col gap-2">
        <Skeleton className="h-4 w-72 max-w-full" />
        <Skeleton className="h-3.5 w-48" />
      </div>
    ))}
  </div>
)

type OpenDialog = { what: 'add' } | { what: 'edit' | 'rotate' | 'remove'; row: WebhookRow } | null

interface WebhookDialogsProps extends Pick<ReturnType<typeof useWebhooks>, 'changed' | 'remove' | 'rotate'> {
  asked: OpenDialog
  onDone: () => void
  /** Null if no secret was made after all. */
  onSecret: (secret: WebhookSecret | null) => void
}

/** The dialog for the requested action, on an endpoint or for a new one. */
function WebhookDialogs({ asked, onDone, onSecret, changed, remove, rotate }: WebhookDialogsProps) {
  const t = useTranslations('webhooks')
  return (
    <>
      {(asked?.what === 'add' || asked?.what === 'edit') && (
        <WebhookDialog
          row={asked.what === 'edit' ? asked.row : null}
          onClose={onDone}
          onChanged={() => {
            onDone()
            changed()
          }}
          onCreated={(created) => {
            onDone()
            onSecret(created)
            changed()
          }}
        />
      )}
      <Confirm
        open={asked?.what === 'rotate'}
        onOpenChange={onDone}
        title={t('rotateTitle')}
        description={t('rotateText')}
        action={t('rotate')}
        onConfirm={() => asked?.what === 'rotate' && void rotate(asked.row).then(onSecret)}
      />
      <Confirm
        open={asked?.what === 'remove'}
        onOpenChange={onDone}
        title={t('removeTitle')}
        description={t('removeText')}
        action={t('remove')}
        onConfirm={() => asked?.what === 'remove' && void remove(asked.row)}
      />
    </>
  )
}

/** The webhook endpoints of the account and the deliveries to them. */
export function WebhooksPage() {
  const t = useTranslations('webhooks')
  const { hooks, error, retry, changed, switchTo, test, remove, rotate, resend } = useWebhooks()
  const chosen = useSearchParams().get('id')
  const [asked, setAsked] = useState<OpenDialog>(null)
  const [createdSecret, setCreatedSecret] = useState<WebhookSecret | null>(null)
  const shown = hooks?.find(({ id }) => id === chosen) ?? hooks?.[0]
  const show = (row: WebhookRow) => updateSearchParams({ id: row.id })
  const actionsOf = (row: WebhookRow): WebhookActions => ({
    onShow: () => show(row),
    onTest() {
      show(row)
      void test(row)
    },
    onEdit: () => setAsked({ what: 'edit', row }),
    onRotate: () => setAsked({ what: 'rotate', row }),
    onSwitch: () => void switchTo(row, !row.enabled),
    onRemove: () => setAsked({ what: 'remove', row }),
  })
  const add = (
    <Button tone="primary" onClick={() => setAsked({ what: 'add' })}>
      <Plus aria-hidden className="size-4" />
      {t('addEndpoint')}
    </Button>
  )
  return (
    <>
      <Card>
        <CardHeader title={t('title')}>{hooks !== undefined && hooks.length > 0 && add}</CardHeader>
        <p className="mt-1 max-w-prose text-second">{t('lead')}</p>
        {hooks === undefined && (error === undefined ? <WebhooksSkeleton /> : <LoadFailed error={error} onRetry={retry} />)}
        {hooks?.length === 0 && (
          <EmptyState icon={<Webhook />} title={t('emptyTitle')} text={t('emptyText')}>
            {add}
          </EmptyState>
        )}
        {hooks !== undefined && hooks.length > 0 && (
          <ul className="mt-2">
            {hooks.map((row) => (
              <WebhookItem key={row.id} row={row} shown={row.id === shown?.id} actions={actionsOf(row)} />
            ))}
          </ul>
        )}
      </Card>
      {shown !== undefined && <DeliveriesCard key={shown.id} hook={shown} onResend={(id) => resend(shown.id, id)} />}
      <WebhookDialogs
        asked={asked}
        onDone={() => setAsked(null)}
        onSecret={setCreatedSecret}
        changed={changed}
        remove={remove}
        rotate={rotate}
      />
      {createdSecret !== null && <SecretDialog made={createdSecret} onClose={() => setCreatedSecret(null)} />}
    </>
  )
}
