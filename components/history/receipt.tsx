'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { ReceiptView, RequestDetail } from '#lib/contracts/requests'
import { formatFactor, formatPrice, type MoneyStyle } from '#lib/domain/format-money'
import { charge } from '#lib/domain/money'
import { cn } from '../cn.ts'
import { Money } from '../money.tsx'
import { Tag } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'
import { useStoredText } from '../use-stored-text.ts'

const units = [
  'input',
  'cached_input',
  'cache_write',
  'output',
  'reasoning',
  'request',
  'image',
  'image_input',
  'image_output',
  'audio_input',
  'audio_output',
  'audio_second',
  'video_second',
  'character',
  'web_search',
] as const
const NEUTRAL_FACTOR_BP = 10_000

/** The cost of a line before the group's factor, so that the factor can be shown as a line of its own. */
const ungroupedAmount = (line: ReceiptView['lines'][number]): bigint =>
  charge(BigInt(line.count), BigInt(line.priceNano), BigInt(NEUTRAL_FACTOR_BP))

interface LineProps {
  name: ReactNode
  calculation?: ReactNode
  amount: bigint | string
  style: MoneyStyle
  strong?: boolean
}

const Line = ({ name, calculation, amount, style, strong = false }: LineProps) => (
  <div className={cn('flex items-baseline gap-3 py-[3.5px]', strong && 'font-semibold')}>
    <dt className="min-w-0 flex-1">
      {name} <span className="figures float-right whitespace-nowrap font-normal text-second">{calculation}</span>
    </dt>
    <dd className="min-w-[5.25rem] text-right">
      <Money nano={amount} style={style} className="mono" />
    </dd>
  </div>
)

/** Units that are priced per piece. */
const PER_PIECE_UNITS = new Set(['request', 'image', 'audio_second', 'video_second', 'web_search'])

function useReceiptLabels() {
  const t = useTranslations('history')
  const common = useTranslations('common')
  const format = useFormat()
  return {
    name: (unit: string) => {
      // The size and quality of an image follow its unit: image:1024x1024:hd.
      const [baseUnit, ...more] = unit.split(':')
      const known = units.find((name) => name === baseUnit)
      return known === undefined ? unit : [t(`units.${known}`), ...more].join(' ')
    },
    calculation: (line: ReceiptView['lines'][number]) => {
      const count = format.count(Number(line.count))
      // A price that is exact for a single unit reads better per piece: 1 × $0.04, not $40,000.00 / M.
      const isPerPiece = PER_PIECE_UNITS.has(line.unit.split(':', 1)[0] ?? '') && BigInt(line.priceNano) % 1_000_000n === 0n
      return isPerPiece
        ? `${count} × ${formatPrice(line.priceNano, 'one')}`
        : `${count} × ${common('perMillion', { price: formatPrice(line.priceNano, 'million') })}`
    },
  }
}

/** The charge of a request, line by line. The lines and the group's share always add up to the total. */
export function Receipt({ detail }: { detail: RequestDetail }) {
  const t = useTranslations('history')
  const format = useFormat()
  const labels = useReceiptLabels()
  const storedText = useStoredText()
  const { receipt } = detail
  const lineAmounts = receipt.lines.map(ungroupedAmount)
  const groupShare = BigInt(receipt.totalNano) - lineAmounts.reduce((sum, amount) => sum + amount, 0n)
  const amounts = [
    ...lineAmounts,
    groupShare,
    BigInt(receipt.totalNano),
    BigInt(detail.chargedNano),
    BigInt(detail.shortfallNano),
  ]
  // All lines have the same number of decimals, so that they can be added up by eye.
  const style: MoneyStyle = amounts.every((amount) => amount % 1000n === 0n) ? 'row' : 'full'
  const shortfall = BigInt(detail.shortfallNano)
  const isFullyCharged = BigInt(receipt.totalNano) === BigInt(detail.chargedNano) + shortfall
  return (
    <section>
      <div className="mb-1 flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h3 className="font-semibold">{t('receipt')}</h3>
        <span className="flex items-center gap-2 text-second text-sm">
          {receipt.priceFrom !== null && t('priceOf', { date: format.date(receipt.priceFrom) })}
          {receipt.lines.length > 0 && (
            <Tag tone={receipt.exact ? 'good' : 'warn'}>{receipt.exact ? t('exact') : t('estimated')}</Tag>
          )}
        </span>
      </div>
      {receipt.why !== null && <p className="mb-1 text-second text-sm">{storedText(receipt.why)}</p>}
      <dl>
        {receipt.lines.map((line, index) => (
          <Line
            key={line.unit}
            name={labels.name(line.unit)}
            calculation={labels.calculation(line)}
            amount={lineAmounts[index] ?? 0n}
            style={style}
          />
        ))}
        {receipt.lines.length > 0 && (
          <Line
            name={t('group', { name: receipt.groupName })}
            calculation={`× ${formatFactor(receipt.multiplierBp)}`}
            amount={groupShare}
            style={style}
          />
        )}
        {shortfall > 0n && <Line name={t('shortfall')} amount={-shortfall} style={style} />}
        {!isFullyCharged && (
          <Line name={t('givenBack')} amount={BigInt(detail.chargedNano) - BigInt(receipt.totalNano) + shortfall} style={style} />
        )}
        <Line name={t('charged')} amount={detail.chargedNano} style={style} strong />
      </dl>
      {receipt.lines.length === 0 && <p className="text-second text-sm">{t('nothingCharged')}</p>}
      {BigInt(detail.holdNano) > 0n && (
        <p className="mt-0.5 text-second text-sm">
          {t('heldBefore')} <Money nano={detail.holdNano} style="exact" className="mono" />
        </p>
      )}
    </section>
  )
}
