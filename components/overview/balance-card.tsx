'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { Overview } from '#lib/contracts/overview'
import { formatMoney } from '#lib/domain/format-money'
import { Balance } from '../balance.tsx'
import { joinFacts } from '../join-facts.ts'
import { Card } from '../ui/card.tsx'
import { useFormat } from '../use-format.ts'

/** Shares of the bar in percent: the available amount, and the holds of requests in progress. The rest was spent. */
function sharesOf({ balanceNano, heldNano, spentNano }: Overview): { free: number; held: number } {
  const balance = BigInt(balanceNano)
  const held = BigInt(heldNano)
  const total = balance + BigInt(spentNano)
  if (total <= 0n) return { free: 0, held: 0 }
  const percent = (part: bigint) => Number((part * 10_000n) / total) / 100
  return { free: percent(balance > held ? balance - held : 0n), held: percent(held) }
}

/** Beyond this, a number of days is no longer meaningful. */
const LONG_DAYS = 730

function BalanceFacts({ data }: { data: Overview }) {
  const t = useTranslations('overview')
  const format = useFormat()
  if (BigInt(data.owedNano) > 0n)
    return <p className="text-bad">{t('owed', { amount: formatMoney(data.owedNano, 'exact').text })}</p>
  if (BigInt(data.balanceNano) === 0n) return <p className="text-warn-ink">{t('noBalance')}</p>
  const pace = () => {
    if (data.daysLeft === null) return t('noPace')
    if (data.daysLeft > LONG_DAYS) return t('longTime')
    const days = Math.floor(data.daysLeft)
    return days < 1 ? t('underADay') : t('daysLeft', { days, text: format.count(days) })
  }
  const perDay = BigInt(data.paceNano) > 0n ? [t('perDay', { amount: formatMoney(data.paceNano).text })] : []
  const held = t('held', { amount: formatMoney(data.heldNano).text, count: data.heldRequests })
  const facts = [pace(), ...perDay]
  if (data.heldTasks === 0) return <p className="text-second">{joinFacts(data.heldRequests > 0 ? [...facts, held] : facts)}</p>
  return (
    <p className="text-second">
      {joinFacts(facts)}
      {'\u00a0· '}
      <Link href="/history" className="rounded-sm underline decoration-third underline-offset-4 hover:decoration-ink">
        {held}
      </Link>
    </p>
  )
}

/** The available balance, how long it will last, and how much of it requests in progress hold. */
export function BalanceCard({ data }: { data: Overview }) {
  const t = useTranslations('overview')
  const { free, held } = sharesOf(data)
  return (
    <Card className="flex flex-col max-sm:col-span-2">
      <h2 className="text-second">{t('balance')}</h2>
      <p className="mt-1 font-[580] text-3xl tracking-[-0.02em]">
        <Balance nano={data.balanceNano} softClassName="text-lg font-normal tracking-normal" />
      </p>
      <div className="mt-2 mb-4 text-sm leading-5">
        <BalanceFacts data={data} />
      </div>
      <div
        aria-hidden
        className="mt-auto mb-1 flex h-1.5 forced-color-adjust-none gap-0.5 overflow-hidden rounded-full bg-line-soft"
      >
        <div className="h-full rounded-l-full bg-accent" style={{ width: `${free}%` }} />
        {held > 0 && <div className="h-full min-w-1 bg-series-3" style={{ width: `${held}%` }} />}
      </div>
    </Card>
  )
}
