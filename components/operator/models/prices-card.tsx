'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { changeResult, type OperatorModel, type PriceRow } from '#lib/contracts/operator'
import { sendJson } from '../../fetch-json.ts'
import { unitPrices } from '../../models/rates.ts'
import { useModelLabels } from '../../models/use-model-labels.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Field } from '../../ui/field.tsx'
import { InlineFormFooter } from '../../ui/form-footer.tsx'
import { Input } from '../../ui/input.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useFormat } from '../../use-format.ts'
import { useStoredText } from '../../use-stored-text.ts'
import { OperatorFormError } from '../operator-form-error.tsx'
import { useMayChange } from '../use-may-change.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { initialRateLines, rateLines, readRates, unitsOf } from './rates.ts'
import { RatesFields, useRateErrors } from './rates-fields.tsx'
import { type SteepRate, steepRateChanges } from './steep-change.ts'
import { SteepPrices } from './steep-prices.tsx'

/** Withdraws a price that has not started yet, after a confirmation. */
function WithdrawPrice({ row, onDone }: { row: PriceRow; onDone: () => void }) {
  const t = useTranslations('operator')
  const format = useFormat()
  const [asking, setAsking] = useState(false)
  const { busy, general, send } = useOperatorSubmit()
  const withdraw = () =>
    send(async () => {
      await sendJson('DELETE', `/api/operator/prices/${encodeURIComponent(row.id)}`, z.unknown())
      toast.success(t('priceWithdrawn'))
      onDone()
    })
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <Button size="small" disabled={busy} onClick={() => setAsking(true)}>
        {t('withdraw')}
      </Button>
      <OperatorFormError fault={general} />
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('withdrawTitle')}
        description={t('withdrawText', { when: format.moment(row.startsAt) })}
        action={t('withdraw')}
        onConfirm={() => void withdraw()}
      />
    </div>
  )
}

function PriceVersion({ row, inForce, onChanged }: { row: PriceRow; inForce: boolean; onChanged: () => void }) {
  const t = useTranslations('operator')
  const labels = useModelLabels()
  const storedText = useStoredText()
  const mayChange = useMayChange()
  const format = useFormat()
  const isUpcoming = Date.parse(row.startsAt) > Date.now()
  return (
    <tr data-price={row.id}>
      <Td className="align-top">
        <time dateTime={row.startsAt} className="whitespace-nowrap">
          {format.moment(row.startsAt)}
        </time>
        <span className="mt-0.5 block">
          {inForce && <Tag tone="good">{t('inForce')}</Tag>}
          {isUpcoming && <Tag tone="warn">{t('coming')}</Tag>}
        </span>
        {isUpcoming && mayChange && <WithdrawPrice row={row} onDone={onChanged} />}
      </Td>
      <Td className="align-top text-second max-sm:hidden">{row.note === '' ? '–' : storedText(row.note)}</Td>
      <Td figures className="align-top">
        {unitPrices(row, 10_000n).map(({ unit, text }) => (
          <span key={unit} className="block">
            <span className="text-second text-sm">{labels.unit(unit)}</span> {text}
          </span>
        ))}
      </Td>
    </tr>
  )
}

/** The version that was created last, whenever it starts. */
const lastCreatedId = (prices: readonly PriceRow[]): string | null =>
  prices.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)).at(-1)?.id ?? null

function NewPrice({ model, onDone, onCancel }: { model: OperatorModel; onDone: () => void; onCancel: () => void }) {
  const t = useTranslations('operator')
  const [lines, setLines] = useState(model.rates === null ? initialRateLines(model.modality) : rateLines(model.rates))
  const [startsAt, setStartsAt] = useState('')
  const [note, setNote] = useState('')
  // The last version when the form was opened. If there is a newer one, the server reports it.
  const [seen] = useState(() => lastCreatedId(model.prices))
  const [steep, setSteep] = useState<readonly SteepRate[]>([])
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const rateErrors = useRateErrors()
  const savePrice = (isConfirmed: boolean) => {
    const read = readRates(lines)
    if (read.faults) return refuse(rateErrors(read.faults))
    const start = startsAt === '' ? null : new Date(startsAt)
    if (start && Number.isNaN(start.getTime())) return refuse({ startsAt: t('faults.time') })
    const toConfirm = isConfirmed ? [] : steepRateChanges(model.rates, read.rates)
    setSteep(toConfirm)
    // What was wrong before no longer is.
    if (toConfirm.length > 0) return refuse({})
    return send(async () => {
      const body = { modelId: model.id, rates: read.rates, startsAt: start?.toISOString() ?? null, note: note.trim(), seen }
      await sendJson('POST', '/api/operator/prices', changeResult, body)
      toast.success(t('priceSet'))
      onDone()
    })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void savePrice(false)
  }
  return (
    <form noValidate method="post" data-saves onSubmit={submit} className="mt-4 flex max-w-xl flex-col gap-5 border-t pt-4">
      <RatesFields lines={lines} onChange={setLines} units={unitsOf(model.modality, model.facts)} errors={errors} />
      <Field label={t('fields.startsAt')} hint={t('hints.startsAt')} error={errors.startsAt}>
        {(control) => (
          <Input
            {...control}
            name="startsAt"
            type="datetime-local"
            value={startsAt}
            onChange={(event) => setStartsAt(event.target.value)}
            className="max-w-60"
          />
        )}
      </Field>
      <Field label={t('fields.note')} error={errors.note}>
        {(control) => (
          <Input
            {...control}
            name="note"
            autoComplete="off"
            maxLength={300}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        )}
      </Field>
      <OperatorFormError fault={general} />
      <InlineFormFooter label={t('setPrice')} busy={busy} onCancel={onCancel} />
      <SteepPrices rates={steep} onClose={() => setSteep([])} onConfirm={() => void savePrice(true)} />
    </form>
  )
}

/** All versions of a model's price, with a form for a new one. */
export function PricesCard({ model, onChanged }: { model: OperatorModel; onChanged: () => void }) {
  const t = useTranslations('operator')
  const mayChange = useMayChange()
  const [adding, setAdding] = useState(false)
  const now = Date.now()
  const current = model.prices.find(({ startsAt }) => Date.parse(startsAt) <= now)?.id
  return (
    <Card>
      <CardHeader title={t('prices')}>
        {mayChange && !adding && (
          <Button size="small" onClick={() => setAdding(true)}>
            {t('newPrice')}
          </Button>
        )}
      </CardHeader>
      <p className="mt-1 text-second">{t('pricesText')}</p>
      <Table className="mt-2" frameLabel={t('prices')}>
        <thead>
          <tr>
            <Th>{t('since')}</Th>
            <Th className="max-sm:hidden">{t('fields.note')}</Th>
            <Th figures>{t('price')}</Th>
          </tr>
        </thead>
        <tbody>
          {model.prices.map((row) => (
            <PriceVersion key={row.id} row={row} inForce={row.id === current} onChanged={onChanged} />
          ))}
        </tbody>
      </Table>
      {adding && (
        <NewPrice
          model={model}
          onCancel={() => setAdding(false)}
          onDone={() => {
            setAdding(false)
            onChanged()
          }}
        />
      )}
    </Card>
  )
}
