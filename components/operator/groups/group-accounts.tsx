'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import { groupAccountPage, type OperatorGroup } from '#lib/contracts/operator-groups'
import { sendJson } from '../../fetch-json.ts'
import { Paged } from '../../paged.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { usePages } from '../../use-pages.ts'
import { OperatorFormError } from '../operator-form-error.tsx'
import { groupApi } from '../paths.ts'
import { useMayChange } from '../use-may-change.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'

/** The accounts that may use a group that is not open to all. */
export function GroupAccounts({ group, onSaved }: { group: OperatorGroup; onSaved: () => void }) {
  const t = useTranslations('operator')
  const mayChange = useMayChange()
  const [text, setText] = useState('')
  const { busy, errors, general, send } = useOperatorSubmit()
  const pages = usePages(groupApi(group.id, '/accounts?limit=50'), groupAccountPage, { refreshMs: 30_000 })
  const move = (moves: { addAccounts: string[] } | { removeAccounts: string[] }) =>
    send(async () => {
      await sendJson('PATCH', groupApi(group.id), changeResult, { version: group.version, ...moves })
      if ('addAccounts' in moves) setText('')
      pages.reload()
      onSaved()
    })
  const add = (event: FormEvent) => {
    event.preventDefault()
    const addAccounts = text.split(/[\s,;]+/).filter((name) => name !== '')
    if (addAccounts.length > 0) void move({ addAccounts })
  }
  return (
    <Card>
      <CardHeader title={t('accounts')} />
      <p className="mt-1 text-second">{t('accountsText')}</p>
      <Paged pages={pages} empty={<p className="mt-2 text-second">{t('noAccounts')}</p>}>
        {(rows) => (
          <ul className="mt-2 flex flex-col">
            {rows.map(({ id, name, email }) => (
              <li key={id} className="flex items-center justify-between gap-3 border-line-soft border-b py-1.5">
                <span className="min-w-0">
                  <span className="block truncate">{name}</span>
                  <span className="block truncate text-second text-sm">{email}</span>
                </span>
                {mayChange && (
                  <Button
                    size="small"
                    disabled={busy}
                    aria-label={t('removeNamed', { name })}
                    onClick={() => void move({ removeAccounts: [id] })}
                  >
                    {t('remove')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Paged>
      {mayChange && (
        <form noValidate method="post" onSubmit={add} className="mt-3 flex max-w-xl items-start gap-2">
          <Field label={t('fields.account')} hint={t('hints.account')} error={errors.addAccounts} className="flex-1">
            {(control) => (
              <Input {...control} autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} />
            )}
          </Field>
          <Button type="submit" disabled={busy || text.trim() === ''} className="mt-[26px] h-9">
            {t('add')}
          </Button>
        </form>
      )}
      <OperatorFormError fault={general} />
    </Card>
  )
}
