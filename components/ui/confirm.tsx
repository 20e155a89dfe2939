'use client'
import { useTranslations } from 'next-intl'
import { AlertDialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { overlayStyles } from './overlay-styles.ts'
import { useRestoreFocus } from './use-restore-focus.ts'

interface ConfirmProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description: ReactNode
  action: ReactNode
  /** `primary` if nothing is lost. */
  actionTone?: 'danger' | 'primary'
  /** The label of the safe answer, if it is not "Cancel". */
  cancelLabel?: ReactNode
  onConfirm: () => void
  /** Additional choices. */
  children?: ReactNode
}

/** Asks before an action that cannot be undone. The safe answer has the focus. */
export function Confirm({
  open,
  onOpenChange,
  title,
  description,
  action,
  actionTone = 'danger',
  cancelLabel,
  onConfirm,
  children,
}: ConfirmProps) {
  const t = useTranslations('common')
  const restoreFocus = useRestoreFocus(open)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyles} />
        <Radix.Content
          onCloseAutoFocus={restoreFocus}
          className="fixed top-[18dvh] left-1/2 z-50 w-[min(26rem,calc(100vw-2rem))] -translate-x-1/2 animate-appear rounded-lg border bg-panel p-5 shadow-float"
        >
          <Radix.Title className="font-semibold text-lg">{title}</Radix.Title>
          <Radix.Description className="mt-2 text-second">{description}</Radix.Description>
          {children && <div className="mt-4">{children}</div>}
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <Radix.Cancel asChild>
              <Button>{cancelLabel ?? t('cancel')}</Button>
            </Radix.Cancel>
            <Radix.Action asChild>
              <Button tone={actionTone} onClick={onConfirm}>
                {action}
              </Button>
            </Radix.Action>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
