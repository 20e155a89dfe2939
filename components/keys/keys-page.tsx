'use client'
import { KeyRound, Plus } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { CreatedKey, KeyRow } from '#lib/contracts/keys'
import { LoadFailed } from '../load-failed.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { writeAddress } from '../write-address.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeysTable } from './keys-table.tsx'
import { RevealKeyDialog } from './reveal-key-dialog.tsx'
import { useKeys } from './use-keys.ts'

const KeysGhost = () => (
  <div className="flex flex-col">
    {[1, 2, 3, 4].map((line) => (
      <div key={line} className="flex h-[57px] items-center justify-between gap-6 border-line-soft border-b last:border-b-0">
        <div className="flex flex-col gap-2">
          <Skeleton className="h-3.5 w-28" />
          <Skeleton className="h-3 w-36" />
        </div>
        <Skeleton className="hidden h-3.5 w-40 md:block" />
        <Skeleton className="h-3.5 w-16" />
      </div>
    ))}
  </div>
)

/** The account's keys: make, look at, revoke. */
export function KeysPage() {
  const t = useTranslations('keys')
  const { keys, error, retry, add, revoke } = useKeys()
  // In the address, so that the overview's checklist can lead straight to the open dialog.
  const asked = useSearchParams().get('new')
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const [leaving, setLeaving] = useState<KeyRow | null>(null)
  const open = () => writeAddress({ new: 'key' }, 'push')
  const create = (
    <Button tone="primary" onClick={open}>
      <Plus aria-hidden className="size-4" />
      {t('create')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('title')}>{create}</PageHeader>
      <div className="mx-auto w-full max-w-[1240px] px-4 py-5 sm:px-7 sm:py-6">
        <Card className="py-2 sm:py-2">
          {keys === undefined && error !== undefined && <LoadFailed error={error} onRetry={retry} />}
          {keys === undefined && error === undefined && <KeysGhost />}
          {keys?.length === 0 && (
            <EmptyState icon={<KeyRound />} title={t('emptyTitle')} text={t('emptyText')}>
              {create}
            </EmptyState>
          )}
          {keys !== undefined && keys.length > 0 && <KeysTable keys={keys} onRevoke={setLeaving} />}
        </Card>
      </div>
      <CreateKeyDialog
        open={asked !== null}
        limitsOpen={asked === 'limit'}
        onOpenChange={(next) => !next && writeAddress({ new: null })}
        onCreated={(answer) => {
          writeAddress({ new: null })
          setCreated(answer)
          void add(answer)
        }}
      />
      <RevealKeyDialog created={created} onClose={() => setCreated(null)} />
      <Confirm
        open={leaving !== null}
        onOpenChange={(next) => !next && setLeaving(null)}
        title={t('revokeTitle', { name: leaving?.name ?? '' })}
        description={t('revokeText', { hint: leaving?.hint ?? '' })}
        action={t('revoke')}
        onConfirm={() => leaving !== null && void revoke(leaving)}
      />
    </>
  )
}
