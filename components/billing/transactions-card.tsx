'use client'
import { Receipt } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useRef } from 'react'
import { type Transaction, transactionPage } from '#lib/contracts/billing'
import { formatMoney } from '#lib/domain/format-money'
import { Money } from '../money.tsx'
import { PagedTable } from '../paged.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Td, Th } from '../ui/table.tsx'
import { useFormat } from '../use-format.ts'
import { usePages } from '../use-pages.ts'
import { useStoredText } from '../use-stored-text.ts'

const PATH = '/api/billing/transactions?limit=25'

/** Links to documents on Stripe's own pages. */
const DocumentLink = ({ href, name, note }: { href: string | null; name: string; note: string }) =>
  href === null ? null : (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className="text-second text-sm underline decoration-third underline-offset-4 hover:text-ink hover:decoration-ink"
    >
      {name}
      <span className="sr-only"> {note}</span>
    </a>
  )

/** The name of an entry. Entries that undo a refund or a dispute have their own names. */
const nameOf = ({ kind, amountNano, automatic }: Transaction) =>
  automatic
    ? ('topUpAutomatic' as const)
    : BigInt(amountNano) > 0n && (kind === 'refund' || kind === 'dispute')
      ? (`${kind}Back` as const)
      : kind

function Row({ row }: { row: Transaction }) {
  const t = useTranslations('billing')
  const storedText = useStoredText()
  const format = useFormat()
  const owed = BigInt(row.owedNano)
  const amount = row.kind === 'collection' ? owed : BigInt(row.amountNano)
  const day = <time dateTime={row.at}>{format.date(row.at)}</time>
  const owedText = () => t(owed > 0n ? 'becameOwed' : 'paidOwed', { amount: formatMoney(owed < 0n ? -owed : owed).text })
  return (
    <tr data-entry={row.id}>
      <Td className="w-px whitespace-nowrap pr-2 align-top text-second max-sm:hidden">{day}</Td>
      <Td className="align-top max-sm:pl-0">
        <span className="flex flex-wrap items-baseline gap-x-3">
          <span>{t(`kinds.${nameOf(row)}`)}</span>
          <DocumentLink href={row.invoiceUrl} name={t('invoice')} note={t('newTab')} />
          <DocumentLink href={row.receiptUrl} name={t('receipt')} note={t('newTab')} />
        </span>
        {(row.kind === 'grant' || row.kind === 'deduction') && (
          <span className="block text-second text-sm [overflow-wrap:anywhere]">{storedText(row.reason)}</span>
        )}
        {owed !== 0n && row.kind !== 'collection' && <span className="block text-second text-sm">{owedText()}</span>}
        <span className="block text-second text-sm sm:hidden">{day}</span>
      </Td>
      <Td figures className="align-top">
        <span className={amount > 0n ? 'text-accent' : ''}>
          {amount > 0n ? '+' : ''}
          <Money nano={amount} style="exact" />
        </span>
      </Td>
    </tr>
  )
}

interface TransactionsCardProps {
  version: string | null
  /** The API path of the list, with a query. By default that of the reader's own account. */
  path?: string
}

/** Everything that changed an account's credit, newest first. Reloaded when `version` changes. */
export function TransactionsCard({ version, path = PATH }: TransactionsCardProps) {
  const t = useTranslations('billing')
  const pages = usePages(path, transactionPage, { refreshMs: 30_000 })
  const { reload } = pages
  const lastVersion = useRef(version)
  useEffect(() => {
    if (lastVersion.current !== null && lastVersion.current !== version) reload()
    lastVersion.current = version
  }, [version, reload])
  return (
    <Card>
      <CardHeader title={t('transactions')} />
      <PagedTable
        pages={pages}
        label={t('transactions')}
        hasNoControls
        empty={<EmptyState icon={<Receipt />} title={t('emptyTitle')} text={t('emptyText')} />}
        head={
          <>
            <Th className="max-sm:hidden">{t('date')}</Th>
            <Th className="max-sm:pl-0">{t('what')}</Th>
            <Th figures>{t('sum')}</Th>
          </>
        }
        row={(row) => <Row key={row.id} row={row} />}
      />
    </Card>
  )
}
