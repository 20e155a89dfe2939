'use client'
import { ChevronDown } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type SetBreakerInput, setBreakerResult } from '#lib/contracts/traffic'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Menu, MenuItem } from '../../ui/dropdown-menu.tsx'
import { useErrorText } from '../../use-error-text.ts'
import { useMayChange } from '../use-may-change.ts'

interface BreakerSwitchProps {
  deploymentId: string
  name: string
  held: boolean
  /** Whether a breaker is not closed. Only then is there something to reset. */
  canReset: boolean
  onDone: () => void
}

/** Blocks all calls to a deployment, releases it, or closes its breakers. Applies to all processes. */
export function BreakerSwitch({ deploymentId, name, held, canReset, onDone }: BreakerSwitchProps) {
  const t = useTranslations('traffic')
  const errorText = useErrorText()
  const [asking, setAsking] = useState(false)
  if (!useMayChange()) return null
  const act = async (mode: SetBreakerInput['mode']) => {
    try {
      await sendJson('POST', `/api/operator/deployments/${encodeURIComponent(deploymentId)}/breaker`, setBreakerResult, { mode })
      toast.success(t(`done.${mode}`, { name }))
      onDone()
    } catch (failure) {
      toast.error(t('notDone', { name }), { description: errorText(failure) })
    }
  }
  return (
    <>
      <Menu
        trigger={
          <Button size="small" aria-label={t('switchNamed', { name })}>
            {t('switch')}
            <ChevronDown aria-hidden className="size-3.5 text-second" />
          </Button>
        }
      >
        {held ? (
          <MenuItem onSelect={() => void act('automatic')}>{t('release')}</MenuItem>
        ) : (
          <MenuItem onSelect={() => setAsking(true)}>{t('hold')}</MenuItem>
        )}
        {canReset && <MenuItem onSelect={() => void act('reset')}>{t('reset')}</MenuItem>}
      </Menu>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('holdTitle', { name })}
        description={t('holdText')}
        action={t('hold')}
        onConfirm={() => void act('held')}
      />
    </>
  )
}
