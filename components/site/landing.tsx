import { Activity, KeyRound, ReceiptText, Repeat2, Shuffle, Wallet } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { ModelList, ModelRow } from '#lib/contracts/catalog'
import { joinFacts } from '../join-facts.ts'
import { modelPath } from '../models/model-path.ts'
import { Price } from '../models/price.tsx'
import { factorOf, hasContext, sizeText } from '../models/query.ts'
import { headPrices } from '../models/rates.ts'
import { useModelLabels } from '../models/use-model-labels.ts'
import { useServerFormat } from '../models/use-server-format.ts'
import { buttonStyles } from '../ui/button-styles.ts'
import { Card, CardHeader } from '../ui/card.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { pickSamples } from './pick-samples.ts'
import { SampleReceipt } from './sample-receipt.tsx'
import { SampleTabs } from './sample-tabs.tsx'
import { firstCall } from './samples.ts'

const POINTS = [
  { name: 'money', Icon: Wallet },
  { name: 'receipt', Icon: ReceiptText },
  { name: 'keys', Icon: KeyRound },
  { name: 'failover', Icon: Shuffle },
  { name: 'repeat', Icon: Repeat2 },
  { name: 'history', Icon: Activity },
] as const

function Points() {
  const t = useTranslations('landing')
  return (
    <section aria-labelledby="points" className="mt-14 sm:mt-20">
      <h2 id="points" className="font-[580] text-[1.25rem] tracking-[-0.01em]">
        {t('pointsTitle')}
      </h2>
      <ul className="mt-5 grid gap-x-10 gap-y-7 sm:grid-cols-2 lg:grid-cols-3">
        {POINTS.map(({ name, Icon }) => (
          <li key={name}>
            <Icon aria-hidden strokeWidth={1.75} className="size-[18px] text-accent" />
            <h3 className="mt-2.5 font-semibold text-lg">{t(`points.${name}.title`)}</h3>
            <p className="mt-1 text-pretty text-second">{t(`points.${name}.text`)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function SomeModels({ rows, list }: { rows: readonly ModelRow[]; list: ModelList }) {
  const t = useTranslations('landing')
  const models = useTranslations('models')
  const labels = useModelLabels()
  const dates = useServerFormat()
  const factor = factorOf(list.groups.find((group) => group.isDefault) ?? list.groups[0] ?? null)
  return (
    <Card>
      <CardHeader title={t('catalogTitle')}>
        <Link href="/models" prefetch={false} className="text-accent text-sm hover:underline">
          {t('allModels')}
        </Link>
      </CardHeader>
      <Table frameLabel={t('catalogTitle')} frameClassName="mt-1">
        <thead>
          <tr>
            <Th>{models('model')}</Th>
            <Th className="max-sm:hidden">{models('modality')}</Th>
            <Th figures className="max-sm:hidden">
              {models('context')}
            </Th>
            <Th figures>{models('priceHead')}</Th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const prices = headPrices(row, factor)
            return (
              <tr key={row.id}>
                <Td>
                  <Link href={modelPath(row.id)} prefetch={false} className="wrap-anywhere hover:underline">
                    {row.id}
                  </Link>
                </Td>
                <Td className="text-second max-sm:hidden">{labels.modality(row.modality)}</Td>
                <Td figures className="text-second max-sm:hidden">
                  {hasContext(row) ? sizeText(row, 'contextWindow', dates.count(row.contextWindow)) : '–'}
                </Td>
                <Td figures>
                  {prices.length > 1 ? (
                    <>
                      {joinFacts(prices.map(({ text }) => text))}{' '}
                      <span className="text-second text-sm max-sm:hidden">{models('inOut')}</span>
                    </>
                  ) : (
                    prices.map((price) => <Price key={price.unit} price={price} />)
                  )}
                </Td>
              </tr>
            )
          })}
        </tbody>
      </Table>
    </Card>
  )
}

interface LandingProps {
  list: ModelList
  baseUrl: string
  /** Whether anybody can sign up. */
  open: boolean
}

/** The landing page: what this is, a call that works here, what it costs, and the models for sale. */
export function Landing({ list, baseUrl, open }: LandingProps) {
  const t = useTranslations('landing')
  const common = useTranslations('common')
  const { sample, shown } = pickSamples(list)
  const vendors = new Set(list.rows.map((row) => row.ownedBy)).size
  return (
    <div className="py-3 sm:py-10">
      <div className="grid items-start gap-x-14 gap-y-9 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.15fr)]">
        <div className="lg:pt-6">
          <h1 className="text-balance break-keep font-[580] text-[1.875rem] leading-[1.15] tracking-[-0.025em] sm:text-[2.625rem]">
            {common('sentence')}
          </h1>
          <p className="mt-4 max-w-xl text-pretty text-lg text-second leading-6">{t('lead')}</p>
          <div className="mt-6 flex flex-wrap items-center gap-3">
            <Link
              href={open ? '/sign-up' : '/sign-in'}
              prefetch={false}
              className={buttonStyles({ tone: 'primary', size: 'large' })}
            >
              {open ? t('signUp') : t('signIn')}
            </Link>
            <Link href="/docs" prefetch={false} className={buttonStyles({ size: 'large' })}>
              {t('readDocs')}
            </Link>
          </div>
          <dl className="mt-9 flex flex-wrap gap-x-10 gap-y-4">
            <div className="flex flex-col-reverse">
              <dt className="text-second">{t('modelsCount', { count: list.rows.length })}</dt>
              <dd className="figures font-[580] text-3xl tracking-[-0.02em]">{list.rows.length}</dd>
            </div>
            <div className="flex flex-col-reverse">
              <dt className="text-second">{t('vendorsCount', { count: vendors })}</dt>
              <dd className="figures font-[580] text-3xl tracking-[-0.02em]">{vendors}</dd>
            </div>
            <div className="flex min-w-0 flex-col-reverse">
              <dt className="text-second">{t('baseUrl')}</dt>
              <dd className="mono flex min-h-8 items-center wrap-anywhere">{baseUrl}</dd>
            </div>
          </dl>
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <SampleTabs
            label={t('example')}
            samples={firstCall({ baseUrl, model: sample?.id ?? 'model', greeting: common('greeting') })}
          />
          {sample && (
            <SampleReceipt model={sample} group={list.groups.find((group) => group.models.includes(sample.id)) ?? null} />
          )}
        </div>
      </div>
      <Points />
      {shown.length > 0 && (
        <div className="mt-14 sm:mt-20">
          <SomeModels rows={shown} list={list} />
        </div>
      )}
    </div>
  )
}
