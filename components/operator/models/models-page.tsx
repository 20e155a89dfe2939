'use client'
import { Box, Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type OperatorModelRow, operatorModelPage } from '#lib/contracts/operator'
import { joinFacts } from '../../join-facts.ts'
import { LongName } from '../../long-name.tsx'
import { Price } from '../../models/price.tsx'
import { hasContext, sizeText } from '../../models/query.ts'
import { headPrices } from '../../models/rates.ts'
import { useModelLabels } from '../../models/use-model-labels.ts'
import { notLoaded } from '../../not-loaded.tsx'
import { Button } from '../../ui/button.tsx'
import { Td, Th } from '../../ui/table.tsx'
import { useFormat } from '../../use-format.ts'
import { ListPage } from '../list-page.tsx'
import { operatorModelPath } from '../paths.ts'
import { HealthTag, InactiveTag } from '../state-tags.tsx'
import { useList } from '../use-list.ts'
import { useMayChange } from '../use-may-change.ts'

const NewModelDialog = dynamic(() => import('./new-model-dialog.tsx').then((module) => module.NewModelDialog).catch(notLoaded), {
  ssr: false,
})

function Row({ row }: { row: OperatorModelRow }) {
  const t = useTranslations('operator')
  const labels = useModelLabels()
  const format = useFormat()
  const prices = row.rates === null ? [] : headPrices({ ...row, rates: row.rates }, 10_000n)
  return (
    <tr data-model={row.id}>
      <Td className="w-full max-w-0 lg:w-auto lg:max-w-96">
        <Link href={operatorModelPath(row.id)} prefetch={false} className="block wrap-anywhere font-medium hover:underline">
          <LongName name={row.id} />
        </Link>
        <span className="block truncate text-second text-sm">
          {labels.modality(row.modality)}
          <span className="md:hidden"> · {t('deploymentsCount', { count: row.deployments })}</span>
        </span>
      </Td>
      <Td figures className="max-lg:hidden">
        {hasContext(row) ? sizeText(row, 'contextWindow', format.compact(row.contextWindow)) : '–'}
      </Td>
      <Td figures>
        {prices.length === 0 && '–'}
        {prices.length > 1
          ? joinFacts(prices.map(({ text }) => text))
          : prices.map((price) => <Price key={price.unit} price={price} />)}
      </Td>
      <Td figures className="max-md:hidden">
        {format.count(row.groups)}
      </Td>
      <Td className="w-0 whitespace-nowrap max-sm:hidden">
        {row.archivedAt === null && row.enabled ? <HealthTag {...row} /> : <InactiveTag {...row} />}
      </Td>
    </tr>
  )
}

/** The whole catalog, as operators see it. */
export function OperatorModelsPage() {
  const t = useTranslations('operator')
  const router = useRouter()
  const mayChange = useMayChange()
  const list = useList('/api/operator/models', operatorModelPage)
  const [open, setOpen] = useState(false)
  const create = mayChange && (
    <Button tone="primary" onClick={() => setOpen(true)}>
      <Plus aria-hidden className="size-4" />
      {t('newModel')}
    </Button>
  )
  return (
    <>
      <ListPage
        title={t('models')}
        lead={t('modelsLead')}
        list={list}
        create={create}
        empty={{ icon: <Box />, title: t('noModels'), text: t('noModelsText') }}
        table={{
          head: (
            <>
              <Th>{t('model')}</Th>
              <Th figures className="max-lg:hidden">
                {t('fields.contextWindow')}
              </Th>
              <Th figures>{t('price')}</Th>
              <Th figures className="max-md:hidden">
                {t('groups')}
              </Th>
              <Th className="max-sm:hidden">{t('state')}</Th>
            </>
          ),
          row: (row) => <Row key={row.id} row={row} />,
        }}
      />
      {open && <NewModelDialog onClose={() => setOpen(false)} onCreated={(id) => router.push(operatorModelPath(id))} />}
    </>
  )
}
