'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import { type ProbeView, probeResult } from '#lib/contracts/operator-connections'
import { VENDOR_KINDS } from '#lib/domain/vendor-kind-list'
import { BASE_URL } from '#lib/domain/vendor-kinds'
import { sendJson } from '../../fetch-json.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogBody, DialogFooter } from '../../ui/dialog.tsx'
import { OperatorFormError } from '../operator-form-error.tsx'
import { connectionApi, connectionPath } from '../paths.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { ConnectionFields } from './connection-fields.tsx'
import {
  type ConnectionForm,
  filledCredentials,
  findCredentialProblems,
  newConnectionForm,
  readConnectionForm,
} from './connection-form.ts'
import { ImportModels } from './import-models.tsx'
import { ProbeText } from './probe-text.tsx'

/** The host of an address. The address may contain placeholders, which are not valid in a URL. */
const hostOf = (address: string): string => address.replace(/^https?:\/\//, '').replace(/\/.*$/, '')

function KindStep({ onChoose }: { onChoose: (kind: string) => void }) {
  return (
    <DialogBody>
      <ul className="grid gap-2 sm:grid-cols-2">
        {VENDOR_KINDS.map(({ id, label, baseUrl }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => onChoose(id)}
              className="flex w-full flex-col rounded-md border px-3 py-2.5 text-left transition-colors hover:border-accent hover:bg-tint"
            >
              <span className="font-medium">{label}</span>
              <span className="mono truncate text-second">{baseUrl === null ? id : hostOf(baseUrl)}</span>
            </button>
          </li>
        ))}
      </ul>
    </DialogBody>
  )
}

/** A created connection and the result of its test. Null until the test has finished. */
interface CreatedConnection {
  id: string
  version: number
  probe: ProbeView | null
}

interface CredentialsStepProps {
  kind: string
  created: CreatedConnection | null
  onCreated: (made: CreatedConnection) => void
  onBack: () => void
}

/**
 * Collects the settings that the kind needs, saves the connection and tests it at once. If the test fails, the same form
 * corrects it.
 */
function CredentialsStep({ kind, created, onCreated, onBack }: CredentialsStepProps) {
  const t = useTranslations('operator')
  const named = useTranslations('vendorFields')
  const [form, setForm] = useState<ConnectionForm>(newConnectionForm(kind))
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { values, faults } = readConnectionForm(form)
    if (faults) return refuse(Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    const missing = Object.entries(findCredentialProblems(form)).map(([name, problem]) => [
      name,
      named(name === BASE_URL && problem === 'malformed' ? 'errors.malformedAddress' : `errors.${problem}`),
    ])
    if (missing.length > 0) return refuse(Object.fromEntries(missing))
    const body = { ...values, credentials: filledCredentials(form), proxy: form.proxy.trim() === '' ? null : form.proxy.trim() }
    return send(async () => {
      const saved = created
        ? await sendJson('PATCH', connectionApi(created.id), changeResult, { ...body, version: created.version })
        : await sendJson('POST', '/api/operator/connections', changeResult, { ...body, kind })
      // If the test does not finish, the next submit updates this connection.
      onCreated({ ...saved, probe: null })
      onCreated({ ...saved, probe: await sendJson('POST', connectionApi(saved.id, '/test'), probeResult) })
    })
  }
  return (
    <form noValidate method="post" onSubmit={(event) => void submit(event)} className="flex min-h-0 flex-col">
      <DialogBody>
        <ConnectionFields form={form} onChange={(changes) => setForm({ ...form, ...changes })} errors={errors} />
        <OperatorFormError fault={general} />
        {created?.probe?.ok === false && <ProbeText probe={created.probe} />}
      </DialogBody>
      <DialogFooter>
        {created === null && <Button onClick={onBack}>{t('back')}</Button>}
        <Button type="submit" tone="primary" disabled={busy}>
          {busy ? t('testing') : t('connectAndTest')}
        </Button>
      </DialogFooter>
    </form>
  )
}

/** Adds a connection in four steps: kind, credentials, test, models. */
export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('operator')
  const router = useRouter()
  const [kind, setKind] = useState<string | null>(null)
  const [created, setMade] = useState<CreatedConnection | null>(null)
  // A vendor without a list of models counts as connected: its models are created by hand.
  const connected = created?.probe != null && (created.probe.ok || created.probe.reason === 'unlisted')
  const step = kind === null ? 'kind' : connected ? 'models' : 'credentials'
  return (
    <Dialog
      open
      sticky
      onOpenChange={onClose}
      title={t(`steps.${step}`)}
      description={t(`stepTexts.${step}`)}
      className={step === 'models' ? 'sm:w-[52rem]' : ''}
    >
      {step === 'kind' && <KindStep onChoose={setKind} />}
      {step === 'credentials' && (
        <CredentialsStep kind={kind ?? ''} created={created} onCreated={setMade} onBack={() => setKind(null)} />
      )}
      {step === 'models' && created?.probe && (
        <DialogBody>
          <ProbeText probe={created.probe} />
          {created.probe.ok ? (
            <ImportModels connectionId={created.id} onDone={() => router.push(connectionPath(created.id))} />
          ) : (
            <Button tone="primary" className="self-start" onClick={() => router.push('/operator/models')}>
              {t('toCatalog')}
            </Button>
          )}
        </DialogBody>
      )}
    </Dialog>
  )
}
