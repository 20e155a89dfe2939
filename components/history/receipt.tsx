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
import { useRecorded } from '../use-recorded.ts'

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
] as const
const PLAIN_FACTOR = 10_000

/** The cost of a line before the group's factor, so that the factor can be shown as a line of its own. */
const plainAmount = (line: ReceiptView['lines'][number]): bigint =>
  charge(BigInt(line.count), BigInt(line.priceNano), BigInt(PLAIN_FACTOR))

interface LineProps {
  name: ReactNode
  how?: ReactNode
  amount: bigint | string
  style: MoneyStyle
  strong?: boolean
}

const Line = ({ name, how, amount, style, strong = false }: LineProps) => (
  <div className={cn('flex items-baseline gap-3 py-[3.5px]', strong && 'font-semibold')}>
    <dt className="min-w-0 flex-1">
      {name} <span className="figures float-right whitespace-nowrap font-normal text-second">{how}</span>
    </dt>
    <dd className="min-w-[5.25rem] text-right">
      <Money nano={amount} style={style} className="mono" />
    </dd>
  </div>
)

/** Units that are priced per piece. */
const PIECES = new Set(['request', 'image', 'audio_second', 'video_second'])

function useReceiptWords() {
  const t = useTranslations('history')
  const format = useFormat()
  return {
    name: (unit: string) => {
      // The size and quality of an image follow its unit: image:1024x1024:hd.
      const [plain, ...more] = unit.split(':')
      const known = units.find((name) => name === plain)
      return known === undefined ? unit : [t(`units.${known}`), ...more].join(' ')
    },
    how: (line: ReceiptView['lines'][number]) => {
      const count = format.count(Number(line.count))
      // A price that is exact for a single unit reads better per piece: 1 × $0.04, not $40,000.00 / M.
      const each = PIECES.has(line.unit.split(':', 1)[0] ?? '') && BigInt(line.priceNano) % 1_000_000n === 0n
      return each
        ? `${count} × ${formatPrice(line.priceNano, 'one')}`
        : `${count} × ${formatPrice(line.priceNano, 'million')} / M`
    },
  }
}

/** The charge of a request, line by line. The lines and the group's share always add up to the total. */
export function Receipt({ detail }: { detail: RequestDetail }) {
  const t = useTranslations('history')
  const format = useFormat()
  const words = useReceiptWords()
  const recorded = useRecorded()
  const { receipt } = detail
  const plain = receipt.lines.map(plainAmount)
  const share = BigInt(receipt.totalNano) - plain.reduce((sum, amount) => sum + amount, 0n)
  const amounts = [...plain, share, BigInt(receipt.totalNano), BigInt(detail.chargedNano), BigInt(detail.shortfallNano)]
  // All lines have the same number of decimals, so that they can be added up by eye.
  const style: MoneyStyle = amounts.every((amount) => amount % 1000n === 0n) ? 'row' : 'full'
  const shortfall = BigInt(detail.shortfallNano)
  const whole = BigInt(receipt.totalNano) === BigInt(detail.chargedNano) + shortfall
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
      {receipt.why !== null && <p className="mb-1 text-second text-sm">{recorded(receipt.why)}</p>}
      <dl>
        {receipt.lines.map((line, index) => (
          <Line key={line.unit} name={words.name(line.unit)} how={words.how(line)} amount={plain[index] ?? 0n} style={style} />
        ))}
        {receipt.lines.length > 0 && (
          <Line
            name={t('group', { name: receipt.groupName })}
            how={`× ${formatFactor(receipt.multiplierBp)}`}
            amount={share}
            style={style}
          />
        )}
        {shortfall > 0n && <Line name={t('shortfall')} amount={-shortfall} style={style} />}
        {!whole && (
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
