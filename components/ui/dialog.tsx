'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Dialog as Radix } from 'radix-ui'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { cn } from '../cn.ts'
import { Button } from './button.tsx'
import { Confirm } from './confirm.tsx'
import { overlayStyles } from './overlay-styles.ts'
import { useBackForwardNavigation } from './use-back-forward-navigation.ts'
import { useRestoreFocus } from './use-restore-focus.ts'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  children: ReactNode
  className?: string
  /** True if an accidental click outside must not close it. */
  sticky?: boolean
  /** True if it shows something that is shown only once. It then closes only with its buttons. */
  once?: boolean
  /** True if what is entered in it can be lost without a question, such as a filter. */
  fleeting?: boolean
  /** True while waiting for a response that is shown only once. It cannot be closed until that has arrived. */
  held?: boolean
}

/** Focuses the first control of the dialog's content, not its close button. */
export function focusFirst(event: Event): void {
  event.preventDefault()
  const content = event.currentTarget as HTMLElement
  const first = content.querySelector<HTMLElement>('[data-first], input:not([type=hidden]), select, textarea') ?? content
  first.focus()
}

interface LeaveConfirmationProps {
  open: boolean
  /** True if only the dialog's own buttons may close it. */
  isLocked: boolean
  leave: () => void
}

/**
 * Asks for confirmation before typed text is lost by Escape, a click outside, the close button or the browser's Back button,
 * which can happen by accident. The form's own Cancel button does not ask: its label says what it does.
 */
function useLeaveConfirmation({ open, isLocked, leave }: LeaveConfirmationProps) {
  const t = useTranslations('common')
  const editedForm = useRef<HTMLFormElement | null>(null)
  const [isAsking, setAsking] = useState(false)
  // A form that is gone was submitted.
  const isEdited = () => editedForm.current?.isConnected === true
  useBackForwardNavigation(open, (event) => {
    if (!isLocked && !isEdited()) return
    event.preventDefault()
    if (!isLocked) setAsking(true)
  })
  if (isAsking && !open) setAsking(false)
  const question = (
    <Confirm
      open={isAsking}
      onOpenChange={setAsking}
      title={t('leaveTitle')}
      description={t('leaveText')}
      action={t('leave')}
      cancelLabel={t('stay')}
      onConfirm={leave}
    />
  )
  return {
    question,
    noteTyping: (event: FormEvent<HTMLElement>) => {
      editedForm.current = (event.target as HTMLElement).closest('form') ?? editedForm.current
    },
    ask: () => (isEdited() ? setAsking(true) : leave()),
  }
}

/** A dialog over the page. On phones it fills the width and sits at the bottom. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  className,
  sticky = false,
  once = false,
  held = false,
  fleeting = false,
}: DialogProps) {
  const t = useTranslations('common')
  const restoreFocus = useRestoreFocus(open)
  const { question, noteTyping, ask } = useLeaveConfirmation({ open, isLocked: once || held, leave: () => onOpenChange(false) })
  const preventClose = (event: Event) => event.preventDefault()
  return (
    <Radix.Root open={open} onOpenChange={(next) => (next ? onOpenChange(next) : !held && ask())}>
      {/* Before the dialog's own content: if both close at once, the dialog is the last to return the focus. */}
      {question}
      <Radix.Portal>
        <Radix.Overlay className={overlayStyles} />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          onOpenAutoFocus={focusFirst}
          onCloseAutoFocus={restoreFocus}
          {...(fleeting ? {} : { onChange: noteTyping })}
          {...(sticky || once ? { onPointerDownOutside: preventClose } : {})}
          {...(once ? { onEscapeKeyDown: preventClose } : {})}
          className={cn(
            'fixed inset-x-0 bottom-0 z-50 flex max-h-[92dvh] w-full animate-appear flex-col rounded-t-lg border outline-none bg-panel shadow-float sm:inset-x-auto sm:bottom-auto sm:top-[8dvh] sm:left-1/2 sm:max-h-[84dvh] sm:w-[34rem] sm:-translate-x-1/2 sm:rounded-lg',
            className,
          )}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4">
            <div className="min-w-0">
              <Radix.Title className="font-semibold text-lg">{title}</Radix.Title>
              {description !== undefined && <Radix.Description className="mt-1 text-second">{description}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <Button tone="ghost" size="tiny" aria-label={t('close')} disabled={held} className="-my-1 -mr-1.5">
                <X aria-hidden className="size-4" />
              </Button>
            </Radix.Close>
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The scrolling part of a dialog. Its children keep their height. */
export function DialogBody({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={cn('flex min-h-0 flex-col gap-5 overflow-y-auto px-5 py-4 *:shrink-0', className)}>{children}</div>
}

/** The row of buttons at the end of a dialog, always visible. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return <footer className="flex flex-wrap justify-end gap-2 border-line-soft border-t px-5 py-3">{children}</footer>
}
