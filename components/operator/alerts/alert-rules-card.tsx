'use client'
import { BellRing, Plus } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import type { AlertList, AlertRule } from '#lib/contracts/operator-alerts'
import { formatMoney } from '#lib/domain/format-money'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Dot, Tag } from '../../ui/tag.tsx'
import { useErrorText } from '../../use-error-text.ts'
import { useFormat } from '../../use-format.ts'
import { alertApi } from '../paths.ts'
import { useMayChange } from '../use-may-change.ts'
import { AlertDialog } from './alert-dialog.tsx'

/** Describes a rule in one sentence. */
function useRuleSentence() {
  const t = useTranslations('operatorAlerts')
  return (rule: AlertRule): string => {
    const name = rule.scopeName
    if (rule.kind === 'breaker') return name === null ? t('sentence.breaker') : t('sentence.breakerOf', { name })
    if (rule.kind === 'balance') {
      const amount = formatMoney(rule.belowNano ?? '0').text
      return name === null ? t('sentence.balance', { amount }) : t('sentence.balanceOf', { name, amount })
    }
    const who = name ?? t(`scopes.${rule.scope}`)
    const figures = { percent: rule.percent ?? 0, minutes: rule.minutes ?? 0, count: rule.leastRequests ?? 0 }
    return t('sentence.errors', { who, ...figures })
  }
}

function Rule({ rule, onEdit, onRemove }: { rule: AlertRule; onEdit: () => void; onRemove: () => void }) {
  const t = useTranslations('operatorAlerts')
  const mayChange = useMayChange()
  const text = useRuleSentence()(rule)
  const tone = !rule.enabled ? 'plain' : rule.firing > 0 ? 'bad' : 'good'
  const state = !rule.enabled ? t('off') : rule.firing > 0 ? t('firing', { count: rule.firing }) : t('quiet')
  const recipients = useFormat().list([...rule.emails, ...(rule.webhooks ? [t('webhooks')] : [])])
  return (
    <li
      data-rule={rule.id}
      className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-line-soft border-b py-3 last:border-b-0"
    >
      <div className="min-w-0 flex-1 basis-64">
        <div className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 break-words font-medium">{text}</span>
          <Tag tone={tone}>
            <Dot tone={tone} className="size-1.5" />
            {state}
          </Tag>
        </div>
        <p className="mt-0.5 break-words text-second text-sm">{t('tells', { told: recipients, minutes: rule.quietMinutes })}</p>
      </div>
      {mayChange && (
        <div className="flex shrink-0 gap-1.5">
          <Button size="small" aria-label={t('changeNamed', { rule: text })} onClick={onEdit}>
            {t('change')}
          </Button>
          <Button size="small" aria-label={t('removeNamed', { rule: text })} onClick={onRemove}>
            {t('remove')}
          </Button>
        </div>
      )}
    </li>
  )
}

/** The rules that notify operators. */
export function AlertRulesCard({ list, onChanged }: { list: AlertList; onChanged: () => void }) {
  const t = useTranslations('operatorAlerts')
  const errorText = useErrorText()
  const mayChange = useMayChange()
  const [open, setOpen] = useState<{ rule: AlertRule | null } | null>(null)
  const remove = async (rule: AlertRule) => {
    try {
      await sendJson('DELETE', `${alertApi(rule.id)}?version=${rule.version}`, changeResult)
      toast.success(t('removed'))
    } catch (failure) {
      toast.error(errorText(failure))
    }
    onChanged()
  }
  const add = mayChange && (
    <Button tone="primary" onClick={() => setOpen({ rule: null })}>
      <Plus aria-hidden className="size-4" />
      {t('newRule')}
    </Button>
  )
  return (
    <Card>
      <CardHeader title={t('rules')}>{list.rules.length > 0 && add}</CardHeader>
      {!list.mail && <p className="mt-1 max-w-prose text-sm text-warn-ink">{t('noMail')}</p>}
      {list.rules.length === 0 ? (
        <EmptyState icon={<BellRing />} title={t('noRules')} text={t('noRulesText')}>
          {add}
        </EmptyState>
      ) : (
        <ul className="mt-1">
          {list.rules.map((rule) => (
            <Rule key={rule.id} rule={rule} onEdit={() => setOpen({ rule })} onRemove={() => void remove(rule)} />
          ))}
        </ul>
      )}
      {open !== null && (
        <AlertDialog
          rule={open.rule}
          onClose={() => setOpen(null)}
          onSaved={() => {
            setOpen(null)
            onChanged()
          }}
        />
      )}
    </Card>
  )
}
