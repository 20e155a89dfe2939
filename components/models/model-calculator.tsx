'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { ModelRow } from '#lib/contracts/catalog'
import type { GroupRow } from '#lib/contracts/keys'
import { formatFactor } from '#lib/domain/format-money'
import { Money } from '../money.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { useFormat } from '../use-format.ts'
import { CalculatorFields, useCalculator } from './calculator.tsx'
import { estimate } from './estimate.ts'
import { factorOf } from './query.ts'
import { useModelLabels } from './use-model-labels.ts'

/** The cost of a given usage of one model, line by line like its receipt. */
export function ModelCalculator({ model, groups }: { model: ModelRow; groups: GroupRow[] }) {
  const t = useTranslations('models')
  const format = useFormat()
  const labels = useModelLabels()
  const calculator = useCalculator([model])
  const [name, setName] = useState(groups[0]?.name ?? '')
  const group = groups.find((each) => each.name === name) ?? null
  const cost = estimate(model, calculator.ask, factorOf(group))
  return (
    <div className="mt-3 grid gap-5 lg:grid-cols-[3fr_2fr]">
      <div className="flex flex-col gap-3">
        <CalculatorFields calculator={calculator} />
        {groups.length > 1 && (
          <NativeSelect
            label={t('group')}
            value={name}
            onChange={setName}
            options={groups.map((each) => ({ value: each.name, label: `${each.name} × ${formatFactor(each.multiplierBp)}` }))}
            className="self-start"
          />
        )}
      </div>
      <dl aria-live="polite" className="self-end">
        {cost.lines.map((line) => (
          <div key={line.unit} className="flex justify-between gap-4 py-1">
            <dt className="text-second">
              {labels.unit(line.unit)} × {format.count(Number(line.count))}
            </dt>
            <dd>
              <Money nano={line.amount} style="exact" />
            </dd>
          </div>
        ))}
        <div className="flex justify-between gap-4 border-t py-1.5">
          <dt>{t('perRequest')}</dt>
          <dd>
            <Money nano={cost.perRequest} style="exact" />
          </dd>
        </div>
        <div className="flex items-baseline justify-between gap-4 font-semibold">
          <dt>{t('forRequests', { count: format.count(Number(calculator.ask.requests)) })}</dt>
          <dd>
            <Money nano={cost.total} style="exact" className="text-lg" />
          </dd>
        </div>
      </dl>
    </div>
  )
}
