'use client'
import { Plus, Ticket } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type CodeRow, codePage, emptyResult, withdrawResult as withdrawnCodes } from '#lib/contracts/operator-accounts'
import { sendJson } from '../fetch-json.ts'
import { Money } from '../money.tsx'
import { notLoaded } from '../not-loaded.tsx'
import { ListPage } from '../operator/list-page.tsx'
import { accountPath } from '../operator/paths.ts'
import { useList } from '../operator/use-list.ts'
import { useMayChange } from '../operator/use-may-change.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { Td, Th } from '../ui/table.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useErrorText } from '../use-error-text.ts'
import { useFormat } from '../use-format.ts'
import { StateTag } from './state-tag.tsx'

const MintDialog = dynamic(
  () => import('./create-codes-dialog.tsx').then((module) => module.CreateCodesDialog).catch(notLoaded),
  { ssr: false },
)

const STATES = ['open', 'redeemed', 'withdrawn'] as const

interface RowProps {
  row: CodeRow
  /** Null for readers who may not withdraw it. */
  onWithdraw: (() => void) | null
}

function Row({ row, onWithdraw }: RowProps) {
  const t = useTranslations('operatorAccounts')
  const format = useFormat()
  const { redeemedBy } = row
  return (
    <tr data-code={row.hint}>
      <Td className="whitespace-nowrap">
        <span className="mono">{row.hint}</span>
        <span className="block text-second text-sm max-sm:hidden md:hidden">{format.date(row.createdAt)}</span>
      </Td>
      <Td figures>
        <Money nano={row.amountNano} style="exact" />
      </Td>
      <Td className="max-w-64 truncate text-second max-md:hidden">{row.note}</Td>
      <Td>
        <StateTag state={row.state} />
        {redeemedBy !== null && (
          <Link
            href={accountPath(redeemedBy.id)}
            className="mt-0.5 block max-w-24 truncate text-second text-sm hover:underline sm:max-w-64"
          >
            {redeemedBy.email || redeemedBy.name}
            {row.redeemedAt !== null && `, ${format.date(row.redeemedAt)}`}
          </Link>
        )}
      </Td>
      <Td className="whitespace-nowrap text-second max-md:hidden">{format.date(row.createdAt)}</Td>
      {onWithdraw !== null && (
        <Td className="w-0 text-right">
          {row.state === 'open' && (
            <Button size="small" aria-label={t('withdrawNamed', { code: row.hint })} onClick={onWithdraw}>
              {t('withdraw')}
            </Button>
          )}
        </Td>
      )}
    </tr>
  )
}

function TableHead({ mayChange }: { mayChange: boolean }) {
  const t = useTranslations('operatorAccounts')
  return (
    <>
      <Th>{t('code')}</Th>
      <Th figures>{t('amount')}</Th>
      <Th className="max-md:hidden">{t('note')}</Th>
      <Th>{t('state')}</Th>
      <Th className="max-md:hidden">{t('created')}</Th>
      {mayChange && (
        <Th>
          <span className="sr-only">{t('actions')}</span>
        </Th>
      )}
    </>
  )
}

/** Withdraws a code, or all codes of its batch. Reports the result, and calls `onDone` to reload in any case. */
function useWithdraw(onDone: () => void) {
  const t = useTranslations('operatorAccounts')
  const errorText = useErrorText()
  return async ({ id, hint }: CodeRow, all: boolean) => {
    const path = `/api/operator/codes/${encodeURIComponent(id)}`
    try {
      if (all) {
        const { count } = await sendJson('DELETE', `${path}/minting`, withdrawnCodes)
        toast.success(t('withdrawAllDone', { count }))
      } else {
        await sendJson('DELETE', path, emptyResult)
        toast.success(t('withdrawDone', { code: hint }))
      }
    } catch (failure) {
      toast.error(t('notDone', { name: hint }), { description: errorText(failure) })
    }
    onDone()
  }
}

/** Asks before a code is withdrawn, and whether to withdraw the other codes of its batch too. */
function WithdrawDialog({ row, onClose, onDone }: { row: CodeRow | null; onClose: () => void; onDone: () => void }) {
  const t = useTranslations('operatorAccounts')
  const [all, setAll] = useState(false)
  const withdraw = useWithdraw(onDone)
  const close = () => {
    setAll(false)
    onClose()
  }
  return (
    <Confirm
      open={row !== null}
      onOpenChange={(open) => !open && close()}
      title={t('withdrawTitle', { code: row?.hint ?? '' })}
      description={t('withdrawText')}
      action={t('withdraw')}
      onConfirm={() => row !== null && void withdraw(row, all)}
    >
      {row?.hasOthers && <Checkbox checked={all} onChange={setAll} label={t('withdrawAll')} />}
    </Confirm>
  )
}

/** The redemption codes, who has redeemed them, and a button for new ones. */
export function CodesPage() {
  const t = useTranslations('operatorAccounts')
  const mayChange = useMayChange()
  const requestedState = useSearchParams().get('state')
  const state = STATES.find((name) => name === requestedState) ?? null
  const list = useList('/api/operator/codes', codePage, { filters: { state } })
  const [isCreating, setIsCreating] = useState(false)
  const [toWithdraw, setToWithdraw] = useState<CodeRow | null>(null)
  const create = mayChange && (
    <Button tone="primary" onClick={() => setIsCreating(true)}>
      <Plus aria-hidden className="size-4" />
      {t('mint')}
    </Button>
  )
  return (
    <>
      <ListPage
        title={t('codes')}
        lead={t('codesLead')}
        list={list}
        create={create}
        searchLabel={null}
        filters={
          <NativeSelect
            label={t('state')}
            value={state ?? ''}
            onChange={(next) => updateSearchParams({ state: next })}
            options={[{ value: '', label: t('any') }, ...STATES.map((value) => ({ value, label: t(`states.${value}`) }))]}
          />
        }
        noneText={t('noneCodesText')}
        empty={{ icon: <Ticket />, title: t('noCodes'), text: t('noCodesText') }}
        table={{
          hasNoControls: true,
          head: <TableHead mayChange={mayChange} />,
          row: (row) => <Row key={row.id} row={row} onWithdraw={mayChange ? () => setToWithdraw(row) : null} />,
        }}
      />
      {isCreating && (
        <MintDialog
          onClose={() => {
            setIsCreating(false)
            list.reload()
          }}
        />
      )}
      <WithdrawDialog row={toWithdraw} onClose={() => setToWithdraw(null)} onDone={list.reload} />
    </>
  )
}
