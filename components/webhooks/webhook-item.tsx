'use client'
import { Ellipsis } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { WebhookRow } from '#lib/contracts/webhooks'
import { cn } from '../cn.ts'
import { joinFacts } from '../join-facts.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../ui/dropdown-menu.tsx'
import { Dot, Tag } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'

export interface WebhookActions {
  onShow: () => void
  onTest: () => void
  onEdit: () => void
  onRotate: () => void
  onSwitch: () => void
  onRemove: () => void
}

function State({ row }: { row: WebhookRow }) {
  const t = useTranslations('webhooks')
  const tone = !row.enabled ? (row.disabledReason === 'holder' ? 'plain' : 'bad') : row.failingSince === null ? 'good' : 'warn'
  const name = !row.enabled ? (row.disabledReason ?? 'holder') : row.failingSince === null ? 'on' : 'troubled'
  return (
    <Tag tone={tone}>
      <Dot tone={tone} className="size-1.5" />
      {t(`states.${name}`)}
    </Tag>
  )
}

/** An endpoint: its address, its events, its state and the actions on it. */
export function WebhookItem({ row, shown, actions }: { row: WebhookRow; shown: boolean; actions: WebhookActions }) {
  const t = useTranslations('webhooks')
  const format = useFormat()
  const overlap = row.oldSecretUntil !== null && Date.parse(row.oldSecretUntil) > Date.now() ? row.oldSecretUntil : null
  return (
    <li
      data-webhook={row.id}
      className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-line-soft border-b py-3 last:border-b-0"
    >
      <div className="min-w-0 flex-1 basis-64">
        <div className="flex flex-wrap items-center gap-2">
          <span className={cn('mono min-w-0 break-all', !row.enabled && 'text-second')}>{row.url}</span>
          <State row={row} />
        </div>
        {row.description !== '' && <p className="mt-0.5 break-words text-second">{row.description}</p>}
        <p className="mt-1 text-second text-xs">
          <code className="mono">{joinFacts(row.events)}</code>
        </p>
        {overlap !== null && <p className="mt-1 text-second text-sm">{t('overlap', { when: format.moment(overlap) })}</p>}
        {row.failingSince !== null && row.enabled && (
          <p className="mt-1 text-sm text-warn-ink">{t('failingSince', { when: format.moment(row.failingSince) })}</p>
        )}
      </div>
      <div className="flex shrink-0 items-center gap-1.5">
        {!shown && (
          <Button size="small" tone="ghost" onClick={actions.onShow}>
            {t('showDeliveries')}
          </Button>
        )}
        {row.enabled ? (
          <Button size="small" onClick={actions.onTest}>
            {t('test')}
          </Button>
        ) : (
          <Button size="small" onClick={actions.onSwitch}>
            {t('switchOn')}
          </Button>
        )}
        <Menu
          trigger={
            <Button size="tiny" tone="ghost" aria-label={t('moreOf', { url: row.url })}>
              <Ellipsis aria-hidden className="size-4" />
            </Button>
          }
        >
          <MenuItem onSelect={actions.onEdit}>{t('edit')}</MenuItem>
          <MenuItem onSelect={actions.onRotate}>{t('rotate')}</MenuItem>
          <MenuItem onSelect={actions.onSwitch}>{row.enabled ? t('switchOff') : t('switchOn')}</MenuItem>
          <MenuSeparator />
          <MenuItem className="text-bad" onSelect={actions.onRemove}>
            {t('remove')}
          </MenuItem>
        </Menu>
      </div>
    </li>
  )
}
