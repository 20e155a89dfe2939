'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { useSWRConfig } from 'swr'
import { clearResult, type HistorySettings, historySettings } from '#lib/contracts/history'
import { sendJson } from '../fetch-json.ts'
import { LoadFailed } from '../load-failed.tsx'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Dialog, DialogBody, DialogFooter } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useSubmit } from '../use-submit.ts'

const PATH = '/api/history/settings'
const MAX_DAYS = 365

/** Drops the cached requests, because they no longer match what is stored. */
function useClearRequestCache() {
  const { mutate } = useSWRConfig()
  return () => mutate((path) => typeof path === 'string' && path.startsWith('/api/requests/req_'), undefined)
}

/** Deletes everything, after the confirmation word was typed. */
function ClearHistoryForm({ onDone }: { onDone: () => void }) {
  const t = useTranslations('requests.settings')
  const clearCache = useClearRequestCache()
  const [typed, setTyped] = useState('')
  const { busy, problem, setProblem, run } = useSubmit()
  const confirmWord = t('clearWord')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim().toLowerCase() !== confirmWord.toLowerCase())
      return setProblem({ field: null, text: t('clearMismatch', { word: confirmWord }) })
    void run(async () => {
      const { requests } = await sendJson('POST', '/api/history/clear', clearResult, { confirm: 'delete' })
      await clearCache()
      toast.success(t('clearDone', { count: requests }))
      onDone()
    })
  }
  return (
    <form noValidate method="post" onSubmit={submit} className="rounded-lg border border-bad/40 p-3">
      <h3 className="font-semibold">{t('clearTitle')}</h3>
      <p className="mt-1 mb-3 text-second">{t('clearText')}</p>
      <div className="flex flex-wrap items-start gap-2">
        <Field label={t('clearLabel', { word: confirmWord })} error={problem?.text} className="min-w-48 flex-1">
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <Button tone="danger" type="submit" disabled={busy} className="mt-[26px] h-9">
          {t('clear')}
        </Button>
      </div>
    </form>
  )
}

function RetentionForm({ settings, onSaved }: { settings: HistorySettings; onSaved: (saved: HistorySettings) => void }) {
  const t = useTranslations('requests.settings')
  const [enabled, setEnabled] = useState(settings.enabled)
  const [days, setDays] = useState(String(settings.days))
  const { busy, problem, setProblem, run } = useSubmit()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const count = Number(days.trim())
    if (!(Number.isInteger(count) && count >= 1 && count <= MAX_DAYS))
      return setProblem({ field: null, text: t('daysFault', { most: MAX_DAYS }) })
    void run(async () => onSaved(await sendJson('POST', PATH, historySettings, { enabled, days: count })))
  }
  const isShortened = Number(days) < settings.days
  return (
    <form id="history-keeping" noValidate method="post" onSubmit={submit} className="flex flex-col gap-5">
      <Checkbox checked={enabled} onChange={setEnabled} label={t('enabled')} hint={t('enabledHint')} />
      <Field label={t('days')} hint={isShortened ? t('daysFewer') : t('daysHint')} error={problem?.text}>
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            value={days}
            onChange={(event) => setDays(event.target.value)}
            className="w-28"
          />
        )}
      </Field>
      <div className="flex justify-end">
        <Button tone="primary" type="submit" disabled={busy}>
          {t('save')}
        </Button>
      </div>
    </form>
  )
}

/** Settings: whether and for how long messages are kept, and the deletion of all of them. */
export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('requests.settings')
  const common = useTranslations('common')
  const { data, error, mutate } = useApi(PATH, historySettings)
  const handleSaved = (settings: HistorySettings) => {
    void mutate(settings, { revalidate: false })
    toast.success(t(settings.enabled ? 'savedOn' : 'savedOff', { days: settings.days }))
    onClose()
  }
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('title')} description={t('text')}>
      <DialogBody>
        {data !== undefined ? (
          <RetentionForm settings={data} onSaved={handleSaved} />
        ) : error !== undefined ? (
          <LoadFailed error={error} onRetry={() => void mutate()} />
        ) : (
          <>
            <Skeleton className="h-9 w-full" />
            <Skeleton className="h-14 w-28" />
          </>
        )}
        <ClearHistoryForm onDone={onClose} />
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{common('close')}</Button>
      </DialogFooter>
    </Dialog>
  )
}
