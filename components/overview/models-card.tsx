'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { Overview } from '#lib/contracts/overview'
import { LongName } from '../long-name.tsx'
import { Money } from '../money.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { useFormat } from '../use-format.ts'
import { useModelName } from '../use-model-name.ts'
import { colorOf, namedModels } from './series.ts'

/** The models of the period, most expensive first, in the colors of the chart. */
export function ModelsCard({ data }: { data: Overview }) {
  const t = useTranslations('overview')
  const format = useFormat()
  const modelName = useModelName()
  const named = namedModels(data)
  const rows = data.models
  return (
    <Card>
      <CardHeader title={t('modelsUsed')}>
        <span className="figures text-second">
          {t('modelsOf', { used: data.modelsUsed, all: format.count(data.modelsAvailable) })}
        </span>
      </CardHeader>
      {rows.length === 0 ? (
        <p className="py-6 text-second">{t('noModels')}</p>
      ) : (
        <Table className="mt-1">
          <thead>
            <tr>
              <Th>{t('model')}</Th>
              <Th figures>{t('requests')}</Th>
              <Th figures className="max-sm:hidden">
                {t('metrics.tokens')}
              </Th>
              <Th figures className="max-md:hidden">
                {t('firstTokenShort')}
              </Th>
              <Th figures>{t('spent')}</Th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.model}>
                <Td>
                  <Link
                    href={`/history?model=${encodeURIComponent(row.model)}`}
                    className="inline-flex max-w-full items-baseline gap-2 hover:underline hover:underline-offset-4"
                  >
                    <span
                      aria-hidden
                      className="size-[9px] shrink-0 forced-color-adjust-none rounded-[2.5px]"
                      style={{ background: colorOf(row.model, named) }}
                    />
                    <span className="min-w-0 break-words">
                      <LongName name={modelName(row.model)} />
                    </span>
                  </Link>
                </Td>
                <Td figures>{format.count(row.requests)}</Td>
                <Td figures className="text-second max-sm:hidden">
                  {row.tokens === 0 ? '–' : format.compact(row.tokens)}
                </Td>
                <Td figures className="text-second max-md:hidden">
                  {row.firstTokenMs === null ? '–' : format.duration(row.firstTokenMs)}
                </Td>
                <Td figures>
                  <Money nano={row.nano} />
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  )
}
