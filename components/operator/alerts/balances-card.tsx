'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import { balanceList, type ConnectionBalance } from '#lib/contracts/operator-alerts'
import { formatDecimal, parseDecimal } from '#lib/domain/money'
import { sendJson } from '../../fetch-json.ts'
import { PagedTable } from '../../paged.tsx'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Dialog, DialogBody } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import { Input } from '../../ui/input.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx'
import { Td, Th } from '../../ui/table.tsx'
import { useFormat } from '../../use-format.ts'
import { usePages } from '../../use-pages.ts'
import { useStoredText } from '../../use-stored-text.ts'
import { OperatorFormError } from '../operator-form-error.tsx'
import { useMayChange } from '../use-may-change.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'

const PATH = '/api/operator/balances'

/** A balance with exactly two decimals and its currency, which is the vendor's and not this gateway's. */
function balanceText({ leftNano, currency }: ConnectionBalance): string {
  if (leftNano === null) return '–'
  const [whole = '0', rest = ''] = formatDecimal(BigInt(leftNano)).split('.')
  return `${whole}.${rest.padEnd(2, '0').slice(0, 2)} ${(currency ?? '').toUpperCase()}`
}

function StateBalanceDialog({ row, onClose, onSaved }: { row: ConnectionBalance; onClose: () => void; onSaved: () => void }) {
  const t = useTranslations('operatorAlerts')
  const [text, setText] = useState('')
  const [at, setAt] = useState('')
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const save = (body: object) =>
    send(async () => {
      await sendJson('PATCH', `${PATH}/${encodeURIComponent(row.connectionId)}`, changeResult, { version: row.version, ...body })
      toast.success(t('stated'))
      onSaved()
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const amount = parseDecimal(text.trim())
    if (amount === null || amount < 0n || amount >= 10n ** 17n) return refuse({ amountNano: t('faults.amount') })
    const time = at === '' ? null : new Date(at)
    if (time && Number.isNaN(time.getTime())) return refuse({ at: t('faults.time') })
    return void save({ amountNano: String(amount), ...(time ? { at: time.toISOString() } : {}) })
  }
  return (
    <Dialog open sticky onOpenChange={onClose} title={t('stateTitle', { name: row.name })} description={t('stateText')}>
      <form noValidate method="post" onSubmit={submit} className="flex min-h-0 flex-col">
        <DialogBody>
          <NumberField
            label={t('amount')}
            hint={t('amountHint')}
            error={errors.amountNano}
            name="amount"
            value={text}
            onChange={setText}
            inputClassName="max-w-48"
          />
          <Field label={t('at')} hint={t('atHint')} error={errors.at}>
            {(control) => (
              <Input
                {...control}
                type="datetime-local"
                className="max-w-60"
                value={at}
                onChange={(event) => setAt(event.target.value)}
              />
            )}
          </Field>
          <OperatorFormError fault={general} />
        </DialogBody>
        <FormFooter label={t('save')} busy={busy} onCancel={onClose}>
          {row.statedNano !== null && (
            <Button disabled={busy} onClick={() => void save({ amountNano: null })}>
              {t('stateNone')}
            </Button>
          )}
        </FormFooter>
      </form>
    </Dialog>
  )
}

function Row({ row, onState }: { row: ConnectionBalance; onState: () => void }) {
  const t = useTranslations('operatorAlerts')
  const storedText = useStoredText()
  const format = useFormat()
  const mayChange = useMayChange()
  const from =
    row.from === 'vendor'
      ? t('fromVendor', { when: row.askedAt === null ? '?' : format.moment(row.askedAt) })
      : row.from === 'stated'
        ? t('fromStated', { when: row.statedAt === null ? '?' : format.moment(row.statedAt) })
        : row.asks
          ? t('notYet')
          : t('unknown')
  return (
    <tr data-balance={row.name}>
      <Td className="w-full max-w-0">
        <span className="block truncate font-medium">{row.name}</span>
        <span className="block text-second text-sm">{from}</span>
        {row.askError !== null && (
          <span className="block text-sm text-warn-ink">{t('askFailed', { why: storedText(row.askError) })}</span>
        )}
      </Td>
      <Td figures className="align-top">
        {balanceText(row)}
      </Td>
      {mayChange && (
        <Td className="w-0 align-top">
          <Button size="small" aria-label={t('stateNamed', { name: row.name })} onClick={onState}>
            {t('state')}
          </Button>
        </Td>
      )}
    </tr>
  )
}

/** The remaining balance at each vendor. */
export function BalancesCard() {
  const t = useTranslations('operatorAlerts')
  const mayChange = useMayChange()
  const [open, setOpen] = useState<ConnectionBalance | null>(null)
  const pages = usePages(`${PATH}?limit=20`, balanceList, { refreshMs: 30_000 })
  return (
    <Card>
      <CardHeader title={t('balances')} />
      <p className="mt-1 max-w-prose text-second">{t('balancesText')}</p>
      <PagedTable
        pages={pages}
        label={t('balances')}
        hasNoControls
        waiting={<RowsSkeleton count={2} />}
        empty={<p className="mt-3 text-second">{t('noBalances')}</p>}
        head={
          <>
            <Th>{t('connection')}</Th>
            <Th figures>{t('left')}</Th>
            {mayChange && (
              <Th>
                <span className="sr-only">{t('state')}</span>
              </Th>
            )}
          </>
        }
        row={(row) => <Row key={row.connectionId} row={row} onState={() => setOpen(row)} />}
      />
      {open !== null && (
        <StateBalanceDialog
          row={open}
          onClose={() => setOpen(null)}
          onSaved={() => {
            setOpen(null)
            pages.reload()
          }}
        />
      )}
    </Card>
  )
}
