import { useTranslations } from 'next-intl'
import type { ModelRow } from '#lib/contracts/catalog'
import type { GroupRow } from '#lib/contracts/keys'
import { formatFactor } from '#lib/domain/format-money'
import { charge } from '#lib/domain/money'
import { estimate } from '../models/estimate.ts'
import { factorOf } from '../models/query.ts'
import { unitPrices } from '../models/rates.ts'
import { useModelLabels } from '../models/use-model-labels.ts'
import { useServerFormat } from '../models/use-server-format.ts'
import { Money } from '../money.tsx'
import { Card, CardHeader } from '../ui/card.tsx'

/** A request of typical size. */
const COUNTS = { input: 1592n, cached_input: 512n, output: 611n }

/** A receipt as the ledger would write it now, for a model of this catalog at its price. */
export function SampleReceipt({ model, group }: { model: ModelRow; group: GroupRow | null }) {
  const t = useTranslations('landing')
  const common = useTranslations('common')
  const labels = useModelLabels()
  const dates = useServerFormat()
  const factor = factorOf(group)
  const counts = Object.fromEntries(Object.entries(COUNTS).filter(([unit]) => model.rates[unit] !== undefined))
  const cost = estimate(model, { counts, variant: '', requests: 1n }, factor)
  const listed = unitPrices(model, 10_000n)
  const groupShare =
    cost.perRequest -
    cost.lines.reduce((sum, { unit, count }) => sum + charge(count, BigInt(model.rates[unit] ?? 0), 10_000n), 0n)
  return (
    <Card>
      <CardHeader title={t('receiptTitle')} />
      <p className="mt-1 wrap-anywhere text-second">{t('receiptLead', { model: model.id })}</p>
      <dl className="mt-3">
        {cost.lines.map(({ unit, count }) => (
          <div key={unit} className="flex items-baseline justify-between gap-3 py-[3.5px]">
            <dt className="min-w-0 flex-1">
              {labels.unit(unit)}{' '}
              <span className="figures text-second max-sm:block sm:float-right">
                {dates.count(Number(count))} ×{' '}
                {common('perMillion', { price: listed.find((price) => price.unit === unit)?.text ?? '' })}
              </span>
            </dt>
            <dd className="min-w-[6rem] text-right">
              <Money nano={charge(count, BigInt(model.rates[unit] ?? 0), 10_000n)} style="full" className="mono" />
            </dd>
          </div>
        ))}
        {group !== null && (
          <div className="flex items-baseline justify-between gap-3 py-[3.5px]">
            <dt className="min-w-0 flex-1">
              {t('receiptGroup', { name: group.name })}{' '}
              <span className="figures text-second sm:float-right">× {formatFactor(group.multiplierBp)}</span>
            </dt>
            <dd className="min-w-[6rem] text-right">
              <Money nano={groupShare} style="full" className="mono" />
            </dd>
          </div>
        )}
        <div className="mt-1 flex items-baseline justify-between gap-3 border-t pt-2 font-semibold">
          <dt>{t('receiptTotal')}</dt>
          <dd>
            <Money nano={cost.perRequest} style="full" className="mono" />
          </dd>
        </div>
      </dl>
    </Card>
  )
}
