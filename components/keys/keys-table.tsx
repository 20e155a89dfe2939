'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { KeyRow } from '#lib/contracts/keys'
import { formatMoney } from '#lib/domain/format-money'
import { cn } from '../cn.ts'
import { joinFacts } from '../join-facts.ts'
import { Money } from '../money.tsx'
import { PagedTable } from '../paged.tsx'
import { Button } from '../ui/button.tsx'
import { Td, Th } from '../ui/table.tsx'
import { Dot, Tag, type Tone } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'
import type { Pages } from '../use-pages.ts'

/** The tones of a key's states. */
export const stateTones: Record<KeyRow['state'], Tone> = { active: 'good', expired: 'warn', revoked: 'plain' }

/** The limits of a key, in words. */
function useLimitTexts(): (key: KeyRow) => string[] {
  const t = useTranslations('keys.limits')
  const format = useFormat()
  return (key) =>
    [
      key.limitTotalNano !== null &&
        t('total', { spent: formatMoney(key.spentNano).text, limit: formatMoney(key.limitTotalNano).text }),
      key.limitMonthNano !== null &&
        t('month', { spent: formatMoney(key.spentMonthNano).text, limit: formatMoney(key.limitMonthNano).text }),
      key.expiresAt !== null && t('until', { date: format.date(key.expiresAt) }),
      key.rpm !== null && t('rpm', { count: key.rpm }),
      key.tpm !== null && t('tpm', { count: format.compact(key.tpm) }),
      key.modelAllow.length > 0 && t('models', { count: key.modelAllow.length }),
      key.addressAllow.length > 0 && t('addresses', { count: key.addressAllow.length }),
      !key.historyEnabled && t('noHistory'),
    ].filter((line) => line !== false)
}

function KeyLine({ row, onRevoke }: { row: KeyRow; onRevoke: (key: KeyRow) => void }) {
  const t = useTranslations('keys')
  const format = useFormat()
  const limits = useLimitTexts()(row)
  const used = row.lastUsedAt === null ? t('neverUsed') : format.ago(row.lastUsedAt)
  const faded = row.state !== 'active'
  return (
    <tr data-key={row.id}>
      <Td className="w-full max-w-0 lg:w-auto lg:max-w-60">
        <Link
          href={`/keys/${encodeURIComponent(row.id)}`}
          className={cn(
            'block font-medium [overflow-wrap:anywhere] hover:underline hover:underline-offset-4',
            faded && 'text-second',
          )}
        >
          {row.name}
        </Link>
        <span className="mono block truncate text-second">{row.hint}</span>
        <span className="mt-0.5 block text-second text-sm md:hidden">
          {row.groupName} · {used}
        </span>
        {limits.length > 0 && <span className="block text-second text-sm lg:hidden">{joinFacts(limits)}</span>}
      </Td>
      <Td className="text-second max-md:hidden">{row.groupName}</Td>
      <Td className="max-w-64 text-second text-sm max-lg:hidden">
        {limits.length === 0
          ? '–'
          : limits.map((line) => (
              <span key={line} className="block">
                {line}
              </span>
            ))}
      </Td>
      <Td figures>
        <Money nano={row.spentNano} />
      </Td>
      <Td figures className="text-second max-sm:hidden">
        {format.count(row.requests)}
      </Td>
      <Td className="whitespace-nowrap text-second max-md:hidden">{used}</Td>
      <Td className="max-sm:hidden">
        <Tag tone={stateTones[row.state]}>
          <Dot tone={stateTones[row.state]} className="size-1.5" />
          {t(`states.${row.state}`)}
        </Tag>
      </Td>
      <Td className="w-0 text-right">
        {faded && <span className="block text-second text-sm sm:hidden">{t(`states.${row.state}`)}</span>}
        {row.state !== 'revoked' && (
          <Button size="small" aria-label={t('revokeNamed', { name: row.name })} onClick={() => onRevoke(row)}>
            {t('revoke')}
          </Button>
        )}
      </Td>
    </tr>
  )
}

interface KeysTableProps {
  pages: Pages<KeyRow>
  empty: ReactNode
  waiting: ReactNode
  onRevoke: (key: KeyRow) => void
}

/** The keys with their limits and usage, paginated. In narrow windows, columns move below the name. */
export function KeysTable({ onRevoke, ...list }: KeysTableProps) {
  const t = useTranslations('keys')
  return (
    <PagedTable
      {...list}
      label={t('title')}
      head={
        <>
          <Th>{t('key')}</Th>
          <Th className="max-md:hidden">{t('group')}</Th>
          <Th className="max-lg:hidden">{t('limitsHead')}</Th>
          <Th figures>{t('spent')}</Th>
          <Th figures className="max-sm:hidden">
            {t('requests')}
          </Th>
          <Th className="max-md:hidden">{t('lastUsed')}</Th>
          <Th className="max-sm:hidden">{t('state')}</Th>
          <Th>
            <span className="sr-only">{t('actions')}</span>
          </Th>
        </>
      }
      row={(row) => <KeyLine key={row.id} row={row} onRevoke={onRevoke} />}
    />
  )
}
