'use client'
import { KeyRound, Plus, SearchX } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ReactNode, useMemo, useState } from 'react'
import type { CreatedKey, KeyRow } from '#lib/contracts/keys'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { CLEARED_FILTERS, isFiltered, type KeyFilters, readKeyFilters } from './key-filter-params.ts'
import { KEY_SEARCH, KeyFilterBar } from './key-filters.tsx'
import { KeysTable } from './keys-table.tsx'
import { RevealKeyDialog } from './reveal-key-dialog.tsx'
import { useKeys } from './use-keys.ts'

const KeysSkeleton = () => (
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

const focusSearch = () => document.getElementById(KEY_SEARCH)?.focus()

/** Shows all keys again. The clicked button is gone then, so the focus moves to the search. */
function clearFilters(): void {
  updateSearchParams(CLEARED_FILTERS)
  focusSearch()
}

function useSearchShortcut(): void {
  const t = useTranslations('keyboard')
  useShortcuts(useMemo(() => [{ keys: '/', label: t('searchHere'), place: 'page', run: focusSearch }], [t]))
}

interface ListProps {
  filters: KeyFilters
  keys: ReturnType<typeof useKeys>
  /** The button that creates a key. */
  create: ReactNode
  onRevoke: (key: KeyRow) => void
}

function KeyList({ filters, keys, create, onRevoke }: ListProps) {
  const t = useTranslations('keys')
  const { rows, loadMore, isOld } = keys.pages
  const narrowed = isFiltered(filters)
  const empty = narrowed ? (
    <EmptyState icon={<SearchX />} title={t('noneTitle')} text={t('noneText')}>
      <Button onClick={clearFilters}>{t('clear')}</Button>
    </EmptyState>
  ) : (
    <EmptyState icon={<KeyRound />} title={t('emptyTitle')} text={t('emptyText')}>
      {create}
    </EmptyState>
  )
  return (
    <div className="mx-auto w-full max-w-[1240px] px-4 py-5 sm:px-7 sm:py-6">
      {/* With no keys, there is nothing to search. */}
      {(narrowed || isOld || rows?.length !== 0) && <KeyFilterBar filters={filters} onClear={clearFilters} />}
      <p aria-live="polite" className="sr-only">
        {narrowed && rows !== undefined && !isOld && t(loadMore === null ? 'found' : 'foundFirst', { count: rows.length })}
      </p>
      <Card className="py-2 sm:py-2">
        <KeysTable pages={keys.pages} waiting={<KeysSkeleton />} empty={empty} onRevoke={onRevoke} />
      </Card>
    </div>
  )
}

/** The page of the account's keys: create, find, view and revoke. */
export function KeysPage() {
  const t = useTranslations('keys')
  const params = useSearchParams()
  const filters = readKeyFilters(params)
  const keys = useKeys(filters)
  useSearchShortcut()
  // Kept in the address, so that the checklist of the overview can link to the open dialog.
  const requestedDialog = params.get('new')
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const [toRevoke, setToRevoke] = useState<KeyRow | null>(null)
  const open = () => updateSearchParams({ new: 'key' }, 'push')
  const create = (
    <Button tone="primary" onClick={open}>
      <Plus aria-hidden className="size-4" />
      {t('create')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('title')}>{create}</PageHeader>
      <KeyList filters={filters} keys={keys} create={create} onRevoke={setToRevoke} />
      <CreateKeyDialog
        open={requestedDialog !== null}
        limitsOpen={requestedDialog === 'limit'}
        onOpenChange={(next) => !next && updateSearchParams({ new: null })}
        onCreated={(answer) => {
          // The new key is the first in the full list, but may not match the current filters.
          updateSearchParams({ new: null, ...CLEARED_FILTERS })
          setCreated(answer)
          keys.reload()
        }}
      />
      <RevealKeyDialog created={created} onClose={() => setCreated(null)} />
      <Confirm
        open={toRevoke !== null}
        onOpenChange={(next) => !next && setToRevoke(null)}
        title={t('revokeTitle', { name: toRevoke?.name ?? '' })}
        description={t('revokeText', { hint: toRevoke?.hint ?? '' })}
        action={t('revoke')}
        onConfirm={() => toRevoke !== null && void keys.revoke(toRevoke)}
      />
    </>
  )
}
