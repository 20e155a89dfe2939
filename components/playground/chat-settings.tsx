'use client'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input, Textarea } from '../ui/input.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import {
  type Abilities,
  EFFORTS,
  FORMATS,
  OUTPUTS,
  type ParamFault,
  type ParamFaults,
  type Params,
  SEARCHES,
} from './chat-params.ts'
import { TextField } from './text-field.tsx'
import { EXAMPLE_SCHEMA, EXAMPLE_TOOLS } from './tools.ts'

/** Explains an invalid parameter in the reader's language. */
function useFaultText() {
  const t = useTranslations('playground.faults')
  return (fault: ParamFault | undefined): string | undefined => fault && t(fault.why, { where: fault.where })
}

interface ChatSettingsProps {
  system: string
  onSystem: (system: string) => void
  params: Params
  onParams: (changes: Partial<Params>) => void
  able: Abilities
  faults: ParamFaults
  maxTokens: number
}

const NUMBER_PARAMS = ['temperature', 'topP', 'maxTokens', 'seed'] as const
const PLACEHOLDERS: Record<(typeof NUMBER_PARAMS)[number], string> = {
  temperature: '0 – 2',
  topP: '0 – 1',
  maxTokens: '',
  seed: '',
}

function NumberParams({ params, onParams, faults, maxTokens }: Omit<ChatSettingsProps, 'system' | 'onSystem' | 'able'>) {
  const t = useTranslations('playground.params')
  const faultText = useFaultText()
  return (
    <div className="grid grid-cols-2 gap-3">
      {NUMBER_PARAMS.map((name) => (
        <Field key={name} label={t(name)} error={faultText(faults[name])}>
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              autoComplete="off"
              placeholder={name === 'maxTokens' ? `1 – ${maxTokens}` : PLACEHOLDERS[name]}
              value={params[name]}
              onChange={(event) => onParams({ [name]: event.target.value })}
              className="figures"
            />
          )}
        </Field>
      ))}
    </div>
  )
}

/** The system prompt, the parameters that the models support, the answer format and the tools. */
export function ChatSettings(props: ChatSettingsProps) {
  const { system, onSystem, params, onParams, able, faults } = props
  const t = useTranslations('playground.params')
  const faultText = useFaultText()
  return (
    <>
      <TextField label={t('system')} placeholder={t('systemPlaceholder')} value={system} onChange={onSystem} rows={3} />
      <NumberParams {...props} />
      <Field label={t('stop')} hint={t('stopHint')} error={faultText(faults.stop)}>
        {(control) => (
          <Textarea
            {...control}
            rows={1}
            value={params.stop}
            onChange={(event) => onParams({ stop: event.target.value })}
            className="min-h-9 font-mono"
          />
        )}
      </Field>
      {able.effort && (
        <NativeSelect
          label={t('effort')}
          value={params.effort}
          onChange={(effort) => onParams({ effort: effort as Params['effort'] })}
          options={EFFORTS.map((value) => ({ value, label: value === '' ? t('usual') : value }))}
        />
      )}
      {able.images && (
        <NativeSelect
          label={t('output')}
          value={params.output ?? ''}
          onChange={(output) => onParams({ output: output as (typeof OUTPUTS)[number] })}
          options={OUTPUTS.map((value) => ({ value, label: value === '' ? t('usual') : t('withImages') }))}
        />
      )}
      {able.search && (
        <NativeSelect
          label={t('search')}
          value={params.search ?? ''}
          onChange={(search) => onParams({ search: search as (typeof SEARCHES)[number] })}
          options={SEARCHES.map((value) => ({ value, label: value === '' ? t('noSearch') : t('searches') }))}
        />
      )}
      {able.json && (
        <>
          <NativeSelect
            label={t('format')}
            value={params.format}
            onChange={(format) => onParams({ format: format as Params['format'] })}
            options={FORMATS.map((value) => ({ value, label: t(`formats.${value}`) }))}
          />
          {params.format === 'json_schema' && (
            <JsonField
              label={t('schema')}
              value={params.schema}
              onChange={(schema) => onParams({ schema })}
              error={faultText(faults.schema)}
              example={EXAMPLE_SCHEMA}
            />
          )}
        </>
      )}
      {able.tools && (
        <JsonField
          label={t('tools')}
          hint={t('toolsHint')}
          value={params.tools}
          onChange={(tools) => onParams({ tools })}
          error={faultText(faults.tools)}
          example={EXAMPLE_TOOLS}
        />
      )}
    </>
  )
}

interface JsonFieldProps {
  label: string
  hint?: string
  value: string
  onChange: (value: string) => void
  error: string | undefined
  example: string
}

/** A field for JSON, with an example to start from. */
function JsonField({ label, hint, value, onChange, error, example }: JsonFieldProps) {
  const t = useTranslations('playground.params')
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      aside={
        value.trim() === '' && (
          <Button tone="ghost" size="small" onClick={() => onChange(example)} className="-my-1 -mr-2.5">
            {t('example')}
            <span className="sr-only">: {label}</span>
          </Button>
        )
      }
    >
      {(control) => (
        <Textarea
          {...control}
          rows={value === '' ? 2 : 8}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className="font-mono text-sm"
        />
      )}
    </Field>
  )
}
