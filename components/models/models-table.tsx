'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { ModelRow } from '#lib/contracts/catalog'
import { LongName } from '../long-name.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { Tag } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'
import { modelPath } from './model-path.ts'
import { Price } from './price.tsx'
import { factorOf, hasContext, hasOutput, MAX_COMPARED, type Query, sizeText } from './query.ts'
import { headPrices } from './rates.ts'
import { useModelLabels } from './use-model-labels.ts'

interface ModelsTableProps {
  rows: readonly ModelRow[]
  query: Query
  onCompare: (id: string, chosen: boolean) => void
}

interface RowProps extends Omit<ModelsTableProps, 'rows'> {
  row: ModelRow
}

function Row({ row, query, onCompare }: RowProps) {
  const t = useTranslations('models')
  const format = useFormat()
  const labels = useModelLabels()
  const chosen = query.compare.includes(row.id)
  const prices = headPrices(row, factorOf(query.group))
  const context = hasContext(row) ? sizeText(row, 'contextWindow', format.compact(row.contextWindow)) : '–'
  return (
    <tr className="group transition-colors hover:bg-hover">
      <Td className="w-9">
        <label className="grid size-7 place-items-center">
          <input
            type="checkbox"
            checked={chosen}
            disabled={!chosen && query.compare.length >= MAX_COMPARED}
            onChange={(event) => onCompare(row.id, event.target.checked)}
            aria-label={t('compareModel', { model: row.id })}
            className="size-4 accent-accent"
          />
        </label>
      </Td>
      <Td>
        <Link
          href={modelPath(row.id)}
          prefetch={false}
          className="block min-w-26 wrap-anywhere font-medium hover:underline min-[360px]:min-w-32"
        >
          <LongName name={row.id} />
        </Link>
        <div className="mt-0.5 flex flex-wrap gap-1 max-sm:hidden">
          {row.capabilities.map((name) => (
            <Tag key={name}>{labels.capability(name)}</Tag>
          ))}
        </div>
        <p className="mt-0.5 text-second text-sm md:hidden">
          {labels.modality(row.modality)}
          {hasContext(row) && ` · ${t('contextOf', { count: context })}`}
        </p>
      </Td>
      <Td className="whitespace-nowrap max-md:hidden">{labels.modality(row.modality)}</Td>
      <Td figures className="max-md:hidden">
        {context}
      </Td>
      <Td figures className="max-lg:hidden">
        {hasOutput(row) ? sizeText(row, 'maxOutput', format.compact(row.maxOutput)) : '–'}
      </Td>
      <Td figures>
        <div className="flex flex-col items-end">
          {prices.map((price) => (
            <span key={price.unit}>
              {prices.length > 1 && <span className="text-second text-sm">{labels.unit(price.unit)} </span>}
              {prices.length > 1 ? (
                <span className="font-medium">{price.text}</span>
              ) : (
                <Price price={price} className="font-medium" />
              )}
            </span>
          ))}
        </div>
      </Td>
    </tr>
  )
}

/** The catalog, one row per model. */
export function ModelsTable({ rows, ...rest }: ModelsTableProps) {
  const t = useTranslations('models')
  return (
    <Table>
      <caption className="sr-only">{t('title')}</caption>
      <thead>
        <tr>
          <Th>
            <span className="sr-only">{t('compare')}</span>
          </Th>
          <Th>{t('model')}</Th>
          <Th className="max-md:hidden">{t('modality')}</Th>
          <Th figures className="max-md:hidden">
            {t('context')}
          </Th>
          <Th figures className="max-lg:hidden">
            {t('maxOutput')}
          </Th>
          <Th figures>{t('priceHead')}</Th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.id} row={row} {...rest} />
        ))}
      </tbody>
    </Table>
  )
}
