'use client'
import { Download, TriangleAlert } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useState } from 'react'
import { MAX_CODES, type MintResult, mintResult } from '#lib/contracts/operator-accounts'
import { formatMoney } from '#lib/domain/format-money'
import { formatDecimal } from '#lib/domain/money'
import { sendJson } from '../fetch-json.ts'
import { newUuid } from '../new-uuid.ts'
import { OperatorFormError } from '../operator/operator-form-error.tsx'
import { useOperatorSubmit } from '../operator/use-operator-submit.ts'
import { readAmount, withoutGroups } from '../read-amount.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog, DialogBody, DialogFooter } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { Input } from '../ui/input.tsx'

/** Downloads the codes as a CSV file. Made in the browser, because the server cannot return them a second time. */
function downloadCodes({ codes, amountNano }: MintResult): void {
  const amount = formatDecimal(BigInt(amountNano))
  const lines = ['code,amount', ...codes.map((code) => `${code},${amount}`)]
  const url = URL.createObjectURL(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'codes.csv'
  link.click()
  URL.revokeObjectURL(url)
}

function CreatedCodes({ made, onClose }: { made: MintResult; onClose: () => void }) {
  const t = useTranslations('operatorAccounts')
  return (
    <>
      <DialogBody>
        <p className="flex gap-2.5 rounded-md bg-warn-tint px-3 py-2.5">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          {t('onlyNow')}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable with the keyboard */}
        <section tabIndex={0} aria-label={t('codes')} className="max-h-60 overflow-y-auto rounded-md border px-3 py-2">
          <ul data-testid="codes" className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
            {made.codes.map((code) => (
              <li key={code} className="mono select-all whitespace-nowrap">
                {code}
              </li>
            ))}
          </ul>
        </section>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={made.codes.join('\n')} label={t('copyCodes')} tone="primary">
            {t('copyCodes')}
          </CopyButton>
          <Button onClick={() => downloadCodes(made)}>
            <Download aria-hidden className="size-4" />
            {t('saveCodes')}
          </Button>
        </div>
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{t('stored')}</Button>
      </DialogFooter>
    </>
  )
}

/** Asks for the number and the amount of new codes, and shows them once. */
export function CreateCodesDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('operatorAccounts')
  // One token for each opening: a second click, or a retry after a lost response, makes no additional codes.
  const [token] = useState(newUuid)
  const [form, setForm] = useState({ amount: '', count: '10', note: '' })
  const [created, setCreated] = useState<MintResult | null>(null)
  const { busy, errors, general, send, refuse } = useOperatorSubmit(true)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const amount = readAmount(form.amount)
    if ('fault' in amount || amount.value === null) return refuse({ amountNano: t('amountFault') })
    const typed = withoutGroups(form.count)
    const count = Number(typed)
    if (!/^\d{1,9}$/.test(typed) || count < 1 || count > MAX_CODES) return refuse({ count: t('countFault', { most: MAX_CODES }) })
    const body = { token, amountNano: amount.value, count, note: form.note }
    return send(async () => setCreated(await sendJson('POST', '/api/operator/codes', mintResult, body)))
  }
  const field = (name: keyof typeof form, error: ReactNode, mode: 'decimal' | 'numeric' | 'text') => (
    <Field label={t(name)} hint={name === 'note' ? t('noteHint') : name === 'amount' ? t('amountEach') : undefined} error={error}>
      {(control) => (
        <Input
          {...control}
          inputMode={mode}
          autoComplete="off"
          maxLength={300}
          value={form[name]}
          onChange={(event) => setForm({ ...form, [name]: event.target.value })}
        />
      )}
    </Field>
  )
  const title =
    created === null
      ? t('mint')
      : t('mintedTitle', { count: created.codes.length, amount: formatMoney(created.amountNano, 'exact').text })
  return (
    <Dialog
      open
      sticky
      once={created !== null}
      held={busy}
      onOpenChange={onClose}
      title={title}
      {...(created === null ? { description: t('mintText') } : {})}
    >
      {created !== null ? (
        <CreatedCodes made={created} onClose={onClose} />
      ) : (
        <form noValidate method="post" onSubmit={(event) => void submit(event)} className="flex min-h-0 flex-col">
          <DialogBody>
            {field('amount', errors.amountNano, 'decimal')}
            {field('count', errors.count, 'numeric')}
            {field('note', errors.note, 'text')}
            <OperatorFormError fault={general} />
          </DialogBody>
          <FormFooter label={t('mint')} busy={busy} held={busy} onCancel={onClose} />
        </form>
      )}
    </Dialog>
  )
}
