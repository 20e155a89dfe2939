import { ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { enumerate } from '../../enumerate.ts'
import { Tag } from '../../ui/tag.tsx'
import { Inline } from '../inline.tsx'
import type { Field } from './schema-walker.ts'

/** How many values are shown. The rest is only counted. */
const SHOWN_VALUES = 12

/** The limits of a field beyond its type. */
function Limits({ field: { values, constraints } }: { field: Field }) {
  const t = useTranslations('docs.reference')
  if (values.length === 0 && constraints.length === 0) return null
  return (
    <p className="mt-1 flex flex-wrap items-baseline gap-x-3 gap-y-1 text-second text-sm">
      {values.length > 0 && (
        <span className="flex min-w-0 flex-wrap gap-1">
          {t('values')}
          {values.slice(0, SHOWN_VALUES).map((value) => (
            <code key={value} className="break-all rounded-sm bg-hover px-1 font-mono text-ink">
              {value}
            </code>
          ))}
          {values.length > SHOWN_VALUES && t('moreValues', { count: values.length - SHOWN_VALUES })}
        </span>
      )}
      {enumerate(constraints).map(({ place, value }) => (
        <span key={place} className="break-all">
          {t(`constraints.${value.name}`)} <code className="font-mono text-ink">{value.value}</code>
        </span>
      ))}
    </p>
  )
}

/** The name, type and description of a field. */
const FieldHeader = ({ field }: { field: Field }) => {
  const t = useTranslations('docs.reference')
  return (
    <>
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <code className="break-all font-mono font-semibold">{field.name}</code>
        {!field.variant && (
          <code className="break-all font-mono text-second">
            {field.type}
            {field.nullable && ' | null'}
          </code>
        )}
        {field.required && <Tag tone="good">{t('required')}</Tag>}
      </span>
      {field.description !== null && (
        <span className="mt-0.5 block text-second">
          <Inline text={field.description} />
        </span>
      )}
    </>
  )
}

function FieldItem({ field }: { field: Field }) {
  const t = useTranslations('docs.reference')
  if (field.children.length === 0)
    return (
      <>
        <FieldHeader field={field} />
        <Limits field={field} />
      </>
    )
  return (
    <details className="group/field">
      <summary className="flex list-none items-start gap-1 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="mt-0.5 -ml-1 size-4 shrink-0 text-second transition-transform group-open/field:rotate-90"
        />
        <span className="min-w-0">
          <FieldHeader field={field} />
          <span className="sr-only">{t('inside', { count: field.children.length })}</span>
        </span>
      </summary>
      <Limits field={field} />
      <div className="mt-1.5 border-l pl-3.5">
        <FieldList fields={field.children} />
      </div>
    </details>
  )
}

/** Fields with their types and limits. Nested fields are collapsed. */
export const FieldList = ({ fields }: { fields: readonly Field[] }) => (
  <ul>
    {enumerate(fields).map(({ place, value }) => (
      <li key={place} className="border-line-soft border-b py-2.5 last:border-b-0">
        <FieldItem field={value} />
      </li>
    ))}
  </ul>
)
