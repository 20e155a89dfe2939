'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { overview } from '#lib/contracts/overview'
import { Balance } from '../balance.tsx'
import { Button } from '../ui/button.tsx'
import { useApi } from '../use-api.ts'

/** The balance, for pages that do not show it elsewhere in a larger size. */
export function BalanceChip() {
  const t = useTranslations('overview')
  const { data } = useApi('/api/overview?days=30', overview, { refreshInterval: 10_000 })
  if (data === undefined) return null
  return (
    <Button asChild>
      <Link href="/billing">
        <span className="hidden font-normal text-second sm:inline">{t('balance')}</span>
        <Balance nano={data.balanceNano} className="font-semibold" softClassName="font-normal max-[24rem]:hidden" />
      </Link>
    </Button>
  )
}
