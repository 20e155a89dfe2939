'use client'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type CreatedKey, type KeyRow, keyResult } from '#lib/contracts/keys'
import { LoadFailed } from '../load-failed.tsx'
import { notLoaded } from '../not-loaded.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { BackLink } from '../ui/back-link.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Dot, Tag } from '../ui/tag.tsx'
import { UsageChart } from '../usage/usage-chart.tsx'
import { readUsageParams } from '../usage/usage-params.ts'
import { useUsage } from '../usage/use-usage.ts'
import { useApi } from '../use-api.ts'
import { FormerSecrets } from './former-secrets.tsx'
import { KeyFacts } from './key-facts.tsx'
import { stateTones } from './keys-table.tsx'
import { useRevoke } from './use-keys.ts'

// Few readers who view a key change it.
const EditKeyDialog = dynamic(() => import('./edit-key-dialog.tsx').then((module) => module.EditKeyDialog).catch(notLoaded))
const RotateKeyDialog = dynamic(() => import('./rotate-key-dialog.tsx').then((module) => module.RotateKeyDialog).catch(notLoaded))
const RevealKeyDialog = dynamic(() => import('./reveal-key-dialog.tsx').then((module) => module.RevealKeyDialog).catch(notLoaded))

const KeySkeleton = () => (
  <>
    <Card className="min-h-[320px]">
      <Skeleton className="h-4 w-32" />
      <Skeleton className="mt-8 h-52 w-full" />
    </Card>
    <div className="grid gap-4 lg:grid-cols-2">
      {[1, 2].map((place) => (
        <Card key={place} className="min-h-[290px]">
          <Skeleton className="h-4 w-28" />
          {[1, 2, 3, 4, 5, 6].map((line) => (
            <Skeleton key={line} className="mt-5 h-4 w-full" />
          ))}
        </Card>
      ))}
    </div>
  </>
)

function KeyUsage({ keyId }: { keyId: string }) {
  const t = useTranslations('key')
  const { data, error, mutate } = useUsage({ ...readUsageParams(new URLSearchParams()), key: keyId })
  const link = 'text-second text-sm underline decoration-third underline-offset-4 hover:text-ink hover:decoration-ink'
  const query = `key=${encodeURIComponent(keyId)}`
  if (data === undefined)
    return (
      <Card className="min-h-[320px]">{error !== undefined && <LoadFailed error={error} onRetry={() => void mutate()} />}</Card>
    )
  return (
    <UsageChart report={data} title={t('usage')}>
      <Link href={`/usage?${query}`} className={link}>
        {t('seeUsage')}
      </Link>
      <Link href={`/history?${query}`} className={link}>
        {t('seeHistory')}
      </Link>
    </UsageChart>
  )
}

type DialogName = 'edit' | 'rotate' | 'revoke' | null

function Actions({ row, onOpen }: { row: KeyRow; onOpen: (open: DialogName) => void }) {
  const t = useTranslations('key')
  const keys = useTranslations('keys')
  if (row.state === 'revoked') return null
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-2">
      <legend className="sr-only">{t('actionsOf', { name: row.name })}</legend>
      {row.state === 'active' && <Button onClick={() => onOpen('rotate')}>{t('rotate')}</Button>}
      <Button onClick={() => onOpen('edit')}>{t('edit')}</Button>
      <Button onClick={() => onOpen('revoke')}>{keys('revoke')}</Button>
    </fieldset>
  )
}

interface KeyDialogsProps {
  row: KeyRow
  open: DialogName
  onClose: () => void
  onChanged: (key: KeyRow) => void
}

function KeyDialogs({ row, open, onClose, onChanged }: KeyDialogsProps) {
  const keys = useTranslations('keys')
  const router = useRouter()
  const revoke = useRevoke()
  const [rotated, setRotated] = useState<CreatedKey | null>(null)
  return (
    <>
      {open === 'edit' && <EditKeyDialog row={row} open onOpenChange={onClose} onSaved={onChanged} />}
      {open === 'rotate' && (
        <RotateKeyDialog
          row={row}
          open
          onOpenChange={onClose}
          onRotated={(answer) => {
            setRotated(answer)
            onChanged(answer.key)
          }}
        />
      )}
      {rotated !== null && <RevealKeyDialog created={rotated} onClose={() => setRotated(null)} />}
      <Confirm
        open={open === 'revoke'}
        onOpenChange={onClose}
        title={keys('revokeTitle', { name: row.name })}
        description={keys('revokeText', { hint: row.hint })}
        action={keys('revoke')}
        onConfirm={() => void revoke(row).then((gone) => gone && router.push('/keys'))}
      />
    </>
  )
}

/** The page of a key: its usage, its limits and the actions on it. */
export function KeyPage({ id }: { id: string }) {
  const t = useTranslations('key')
  const keys = useTranslations('keys')
  const { data, error, mutate } = useApi(`/api/keys/${encodeURIComponent(id)}`, keyResult, { refreshInterval: 10_000 })
  const [open, setOpen] = useState<DialogName>(null)
  const row = data?.key
  const updateKey = (key: KeyRow) => void mutate({ key }, { revalidate: true })
  return (
    <>
      <PageHeader
        title={row?.name ?? keys('key')}
        aside={
          row && (
            <Tag tone={stateTones[row.state]}>
              <Dot tone={stateTones[row.state]} className="size-1.5" />
              {keys(`states.${row.state}`)}
            </Tag>
          )
        }
      />
      <div className="mx-auto flex w-full max-w-[1240px] flex-col gap-4 px-4 py-5 sm:px-7 sm:py-6">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <BackLink href="/keys" name={t('back')} />
          {row && <Actions row={row} onOpen={setOpen} />}
        </div>
        {row === undefined && error !== undefined && (
          <Card>
            <LoadFailed error={error} onRetry={() => void mutate()} />
          </Card>
        )}
        {row === undefined && error === undefined && <KeySkeleton />}
        {row && (
          <>
            <FormerSecrets row={row} onEnded={updateKey} />
            <KeyUsage keyId={row.id} />
            <KeyFacts row={row} />
            <KeyDialogs row={row} open={open} onClose={() => setOpen(null)} onChanged={updateKey} />
          </>
        )}
      </div>
    </>
  )
}
