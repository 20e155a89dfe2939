'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { importResult, type Offer, offers } from '#lib/contracts/operator-import'
import { sendJson } from '../../fetch-json.ts'
import { LoadFailed } from '../../load-failed.tsx'
import { newUuid } from '../../new-uuid.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { initialRateLines, readRates } from '../models/rates.ts'
import { OperatorFormError } from '../operator-form-error.tsx'
import { connectionApi } from '../paths.ts'
import { useMayChange } from '../use-may-change.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import type { TypedPrices } from './offer-prices.tsx'
import { OffersTable } from './offers-table.tsx'

const VIEWS = ['new', 'price', 'gone', 'same'] as const

/** At most this many are shown at once. The search narrows them down. */
const MAX_SHOWN = 200
const MAX_IMPORT = 300

/** The price that a model would get: that of the registry, or else the typed one. Null if any part is missing or wrong. */
const ratesToImport = (offer: Offer, typed: TypedPrices[string] | undefined): Record<string, string> | null =>
  offer.found ?? readRates(initialRateLines(offer.modality).map((line) => ({ ...line, text: typed?.[line.unit] ?? '' }))).rates

interface OffersBarProps {
  rows: readonly Offer[]
  view: Offer['state']
  onView: (view: Offer['state']) => void
  search: string
  onSearch: (search: string) => void
}

/** Filters the offers by one state and by a search text. */
function OffersBar({ rows, view, onView, search, onSearch }: OffersBarProps) {
  const t = useTranslations('operator')
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <Segmented
        label={t('differences')}
        value={view}
        onChange={onView}
        options={VIEWS.map((value) => ({
          value,
          label: t(`offers.${value}`, { count: rows.filter(({ state }) => state === value).length }),
        }))}
      />
      <SearchInput label={t('search')} value={search} onChange={onSearch} className="sm:w-56" />
    </div>
  )
}

/** The selected models, each with the price that it would get. */
const selectedModels = (rows: readonly Offer[], chosen: ReadonlySet<string>, typed: TypedPrices) =>
  rows
    .filter(({ upstreamModel }) => chosen.has(upstreamModel))
    .map((offer) => ({
      upstreamModel: offer.upstreamModel,
      modelId: offer.modelId,
      rates: ratesToImport(offer, typed[offer.upstreamModel]),
      modality: offer.modality,
      contextWindow: offer.contextWindow,
      maxOutput: offer.maxOutput,
      assumed: offer.assumed,
    }))

interface ImportBarProps {
  models: ReturnType<typeof selectedModels>
  registry: string
  busy: boolean
  onImport: () => void
}

/** Imports the selected models, once all of them have a price. */
function ImportBar({ models, registry, busy, onImport }: ImportBarProps) {
  const t = useTranslations('operator')
  const mayChange = useMayChange()
  const unpriced = models.filter(({ rates }) => rates === null)
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="text-second text-sm">{t('registry', { registry })}</p>
      <div className="ml-auto flex flex-wrap items-center justify-end gap-3">
        {/* The rows that keep the button disabled may be filtered out, so one of them is named. */}
        <span role="status" className="wrap-anywhere text-second text-sm">
          {models.length > MAX_IMPORT
            ? t('tooMany', { most: MAX_IMPORT })
            : unpriced[0] && t('unpriced', { model: unpriced[0].upstreamModel, others: unpriced.length - 1 })}
        </span>
        <Button
          tone="primary"
          disabled={!mayChange || busy || models.length === 0 || unpriced.length > 0 || models.length > MAX_IMPORT}
          onClick={onImport}
        >
          {busy ? t('taking') : t('take', { count: models.length })}
        </Button>
      </div>
    </div>
  )
}

interface ImportModelsProps {
  connectionId: string
  onDone: () => void
}

/** Compares the vendor's models with the catalog, again each time it is opened, and lets the reader select which to import. */
export function ImportModels({ connectionId, onDone }: ImportModelsProps) {
  const t = useTranslations('operator')
  const { mutate: mutateAny } = useSWRConfig()
  const [openingId] = useState(newUuid)
  const { data, error, mutate } = useSWR(
    ['offers', connectionId, openingId],
    () => sendJson('POST', connectionApi(connectionId, '/offers'), offers),
    { revalidateOnFocus: false, revalidateIfStale: false, shouldRetryOnError: false },
  )
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState<TypedPrices>({})
  const [search, setSearch] = useState('')
  const [view, setView] = useState<Offer['state']>('new')
  const { busy, general, errors, send } = useOperatorSubmit()
  if (data === undefined) return error ? <LoadFailed error={error} onRetry={() => void mutate()} /> : <RowsSkeleton />

  const inView = data.rows.filter(({ state }) => state === view)
  const found = inView.filter(({ upstreamModel }) => upstreamModel.toLowerCase().includes(search.trim().toLowerCase()))
  const models = selectedModels(data.rows, chosen, typed)
  const apply = () =>
    send(async () => {
      const done = await sendJson('POST', connectionApi(connectionId, '/import'), importResult, { take: models })
      toast.success(t('imported', { models: done.models, prices: done.prices }))
      setChosen(new Set())
      // The notice on every page that there are only sandbox models goes with the first import.
      await Promise.all([mutate(), mutateAny('/api/me')])
      onDone()
    })
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <OffersBar rows={data.rows} view={view} onView={setView} search={search} onSearch={setSearch} />
      <p className="text-second text-sm">{t(`offerTexts.${view}`)}</p>
      <OffersTable
        rows={found.slice(0, MAX_SHOWN)}
        view={view}
        chosen={chosen}
        onChoose={(names, on) =>
          setChosen(new Set(on ? [...chosen, ...names] : [...chosen].filter((name) => !names.includes(name))))
        }
        typed={typed}
        onType={(name, unit, text) => setTyped({ ...typed, [name]: { ...typed[name], [unit]: text } })}
      />
      {found.length > MAX_SHOWN && <p className="text-second text-sm">{t('moreFound', { count: found.length - MAX_SHOWN })}</p>}
      <OperatorFormError fault={general ?? errors.take} />
      <ImportBar models={models} registry={data.registry} busy={busy} onImport={() => void apply()} />
    </div>
  )
}
