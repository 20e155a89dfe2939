'use client'
import { useTranslations } from 'next-intl'
import { RadioGroup } from 'radix-ui'
import { type ReactNode, useId } from 'react'
import type { GroupRow } from '#lib/contracts/keys'
import { formatFactor } from '#lib/domain/format-money'
import { Tag } from '../ui/tag.tsx'
import { useStoredText } from '../use-stored-text.ts'

const MAX_SHOWN_MODELS = 4

interface GroupChoiceProps {
  groups: GroupRow[]
  value: string
  onChange: (groupId: string) => void
  error: ReactNode
}

/** The groups that a key can be bound to, each with its models and their cost relative to list prices. */
export function GroupChoice({ groups, value, onChange, error }: GroupChoiceProps) {
  const t = useTranslations('keys')
  const storedText = useStoredText()
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <span id={id} className="font-medium">
        {t('group')}
      </span>
      <RadioGroup.Root aria-labelledby={id} value={value} onValueChange={onChange} className="flex flex-col gap-2">
        {groups.map((group) => (
          <RadioGroup.Item
            key={group.id}
            value={group.id}
            // Nobody wants a key that cannot call anything. One that is already bound to such a group shows that.
            disabled={group.models.length === 0 && group.id !== value}
            className="group flex items-start gap-3 rounded-md border px-3 py-2.5 text-left transition-colors enabled:hover:bg-hover disabled:opacity-60 data-[state=checked]:border-accent data-[state=checked]:bg-tint"
          >
            <span
              aria-hidden
              className="mt-0.5 grid size-4 shrink-0 forced-color-adjust-none place-items-center rounded-full border border-third group-data-[state=checked]:border-accent group-data-[state=checked]:bg-accent"
            >
              <span className="size-1.5 rounded-full group-data-[state=checked]:bg-on-accent" />
            </span>
            <span className="min-w-0 flex-1">
              <span className="flex items-center justify-between gap-2">
                <span className="font-medium">{group.name}</span>
                <Tag className="figures border bg-panel">{t('factor', { factor: formatFactor(group.multiplierBp) })}</Tag>
              </span>
              {group.description !== '' && <span className="block text-second">{storedText(group.description)}</span>}
              <span className="mt-1 block text-second text-sm [overflow-wrap:anywhere]">
                {group.models.slice(0, MAX_SHOWN_MODELS).join(', ')}
                {group.models.length > MAX_SHOWN_MODELS &&
                  ` ${t('moreModels', { count: group.models.length - MAX_SHOWN_MODELS })}`}
                {group.models.length === 0 && t('noModels')}
              </span>
            </span>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
      {error !== undefined && (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      )}
    </div>
  )
}
