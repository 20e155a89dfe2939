'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useState } from 'react'
import { changeResult, type DeploymentRow } from '#lib/contracts/operator'
import { connectionPage } from '#lib/contracts/operator-connections'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { InlineFormFooter } from '../../ui/form-footer.tsx'
import { Input } from '../../ui/input.tsx'
import { NativeSelect } from '../../ui/native-select.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { useApi } from '../../use-api.ts'
import { OperatorFormError } from '../operator-form-error.tsx'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { DEPLOYMENT_NUMBERS, type DeploymentNumbers, deploymentNumbers, readDeploymentNumbers } from './deployment-form.ts'

function NumberFields({
  numbers,
  onChange,
  errors,
}: {
  numbers: DeploymentNumbers
  onChange: (numbers: DeploymentNumbers) => void
  errors: Record<string, ReactNode>
}) {
  const t = useTranslations('operator')
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-3">
      {DEPLOYMENT_NUMBERS.map((name) => (
        <NumberField
          key={name}
          label={t(`fields.${name}`)}
          hint={t(`hints.deployment.${name}`)}
          error={errors[name]}
          name={name}
          inputMode="numeric"
          value={numbers[name]}
          onChange={(text) => onChange({ ...numbers, [name]: text })}
        />
      ))}
    </div>
  )
}

interface DeploymentFieldsProps {
  modelId: string
  /** The deployment to change. Null creates a new one. */
  row: DeploymentRow | null
  onDone: () => void
  onCancel: () => void
}

/** The form of a new or existing deployment. */
export function DeploymentFields({ modelId, row, onDone, onCancel }: DeploymentFieldsProps) {
  const t = useTranslations('operator')
  const { data } = useApi(row ? null : '/api/operator/connections?limit=200', connectionPage)
  const [connectionId, setConnectionId] = useState('')
  const [upstreamModel, setUpstreamModel] = useState('')
  const [enabled, setEnabled] = useState(row?.enabled ?? true)
  const [numbers, setNumbers] = useState(deploymentNumbers(row))
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readDeploymentNumbers(numbers)
    if (read.faults !== null)
      return refuse(Object.fromEntries(Object.entries(read.faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    return send(async () => {
      const body = { ...read.values, enabled }
      if (row) await sendJson('PATCH', `/api/operator/deployments/${row.id}`, changeResult, { ...body, version: row.version })
      else
        await sendJson('POST', '/api/operator/deployments', changeResult, {
          ...body,
          modelId,
          connectionId: connectionId || (data?.rows[0]?.id ?? ''),
          upstreamModel,
        })
      toast.success(t('saved'))
      onDone()
    })
  }
  return (
    <form
      noValidate
      method="post"
      onSubmit={(event) => void submit(event)}
      className="mt-4 flex max-w-xl flex-col gap-5 border-t pt-4"
    >
      {row === null && (
        <>
          <NativeSelect
            label={t('connection')}
            value={connectionId || (data?.rows[0]?.id ?? '')}
            onChange={setConnectionId}
            options={(data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            className="self-start"
          />
          {errors.connectionId !== undefined && <OperatorFormError fault={errors.connectionId} />}
          <Field label={t('fields.upstreamModel')} hint={t('hints.upstreamModel')} error={errors.upstreamModel}>
            {(control) => (
              <Input
                {...control}
                name="upstreamModel"
                autoComplete="off"
                spellCheck={false}
                value={upstreamModel}
                onChange={(event) => setUpstreamModel(event.target.value)}
              />
            )}
          </Field>
        </>
      )}
      <NumberFields numbers={numbers} onChange={setNumbers} errors={errors} />
      <Checkbox label={t('fields.deploymentOn')} checked={enabled} onChange={setEnabled} />
      <OperatorFormError fault={general} />
      <InlineFormFooter label={t('save')} busy={busy} onCancel={onCancel} />
    </form>
  )
}
