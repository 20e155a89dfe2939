'use client'
import { ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ChangeEvent, ReactNode } from 'react'
import { vendorKind } from '#lib/domain/vendor-kind-list'
import { BASE_URL } from '#lib/domain/vendor-kinds'
import type en from '../../messages/en.json'
import { Field } from '../../ui/field.tsx'
import { Input, Textarea } from '../../ui/input.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { useFormat } from '../../use-format.ts'
import { type ConnectionForm, hasBaseUrl } from './connection-form.ts'

type FieldName = Exclude<keyof typeof en.vendorFields, 'errors'>

interface ConnectionFieldsProps {
  form: ConnectionForm
  onChange: (changes: Partial<ConnectionForm>) => void
  errors: Record<string, ReactNode>
  /** What is already stored. A field that is left empty then changes nothing. */
  stored?: { hasSecret: boolean; proxyHost: string | null }
}

/** The fields of a kind except its address. Parts of an address are requested only if there is no complete one. */
function Credentials({ form, onChange, errors, stored }: ConnectionFieldsProps) {
  const t = useTranslations('operator')
  const format = useFormat()
  const named = useTranslations('vendorFields')
  const isStored = stored?.hasSecret ?? false
  const fields = (vendorKind(form.kind)?.fields ?? []).filter(
    ({ name, secret }) => name !== BASE_URL && (secret || !stored || form.baseUrl.trim() === ''),
  )
  return fields.map(({ name, required, secret, lines, placeholder }) => (
    <Field
      key={name}
      label={named(`${name as FieldName}.label`)}
      hint={
        secret && isStored ? t('keptHint') : format.sentences([named(`${name as FieldName}.help`), !required && t('optional')])
      }
      error={errors[`credentials.${name}`] ?? (secret ? errors.credentials : undefined)}
    >
      {(control) => {
        const props = {
          ...control,
          name,
          spellCheck: false,
          placeholder: secret && isStored ? '••••••••' : placeholder,
          value: form.credentials[name] ?? '',
          onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
            onChange({ credentials: { ...form.credentials, [name]: target.value } }),
        }
        // Without this, browsers fill in the reader's own password.
        const complete = secret ? 'new-password' : 'off'
        return lines ? (
          <Textarea {...props} rows={4} autoComplete="off" className="font-mono" />
        ) : (
          <Input {...props} type={secret ? 'password' : 'text'} autoComplete={complete} />
        )
      }}
    </Field>
  ))
}

const LIMIT_FIELDS = [
  { name: 'connectTimeoutS', field: 'connectTimeoutMs' },
  { name: 'headersTimeoutS', field: 'headersTimeoutMs' },
  { name: 'idleTimeoutS', field: 'idleTimeoutMs' },
  { name: 'concurrency', field: 'concurrency' },
] as const

function AdvancedFields({ form, onChange, errors, stored }: ConnectionFieldsProps) {
  const t = useTranslations('operator')
  return (
    <>
      <Field
        label={t('fields.proxy')}
        hint={stored?.proxyHost ? t('proxyKept', { host: stored.proxyHost }) : t('hints.proxy')}
        error={errors.proxy}
      >
        {(control) => (
          <Input
            {...control}
            name="proxy"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="http://proxy.example:8080"
            value={form.proxy}
            onChange={(event) => onChange({ proxy: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('fields.headers')} hint={t('hints.headers')} error={errors.headers}>
        {(control) => (
          <Textarea
            {...control}
            name="headers"
            rows={2}
            spellCheck={false}
            className="font-mono"
            value={form.headers}
            onChange={(event) => onChange({ headers: event.target.value })}
          />
        )}
      </Field>
      <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
        {LIMIT_FIELDS.map(({ name, field }) => (
          <NumberField
            key={name}
            label={t(`fields.${name}`)}
            hint={t(`hints.${name}`)}
            error={errors[field]}
            name={name}
            value={form[name]}
            onChange={(text) => onChange({ [name]: text })}
          />
        ))}
      </div>
    </>
  )
}

const ADVANCED_FIELDS = ['proxy', 'headers', 'concurrency', 'connectTimeoutMs', 'headersTimeoutMs', 'idleTimeoutMs']

/** All settings of a connection. Rarely needed ones are collapsed. */
export function ConnectionFields(props: ConnectionFieldsProps) {
  const { form, onChange, errors } = props
  const t = useTranslations('operator')
  const format = useFormat()
  const named = useTranslations('vendorFields')
  const kind = vendorKind(form.kind)
  const address = kind?.fields.find(({ name }) => name === BASE_URL)
  return (
    <>
      <Field label={t('fields.name')} hint={t('hints.connectionName')} error={errors.name}>
        {(control) => (
          <Input
            {...control}
            name="name"
            autoComplete="off"
            maxLength={60}
            value={form.name}
            onChange={(event) => onChange({ name: event.target.value })}
          />
        )}
      </Field>
      {(kind === null || hasBaseUrl(kind)) && (
        <Field
          label={named('baseUrl.label')}
          hint={format.sentences([named('baseUrl.help'), !address?.required && t('ownAddress')])}
          error={errors.baseUrl}
        >
          {(control) => (
            <Input
              {...control}
              name="baseUrl"
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              placeholder={address?.placeholder}
              value={form.baseUrl}
              onChange={(event) => onChange({ baseUrl: event.target.value })}
            />
          )}
        </Field>
      )}
      <Credentials {...props} />
      <details open={ADVANCED_FIELDS.some((name) => errors[name] !== undefined)} className="group/more rounded-md border">
        <summary className="flex list-none items-center gap-2 rounded-md px-3 py-2 font-medium transition-colors hover:bg-hover [&::-webkit-details-marker]:hidden">
          <ChevronRight aria-hidden className="size-4 text-second transition-transform group-open/more:rotate-90" />
          {t('moreSettings')}
        </summary>
        <div className="flex flex-col gap-5 border-line-soft border-t p-3.5">
          <AdvancedFields {...props} />
        </div>
      </details>
    </>
  )
}
