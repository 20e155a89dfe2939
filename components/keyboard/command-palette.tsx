'use client'
import { Command } from 'cmdk'
import { Search } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { Kbd } from '../ui/kbd.tsx'
import { overlayStyles } from '../ui/overlay-styles.ts'
import { useRestoreFocus } from '../ui/use-restore-focus.ts'
import { type CommandGroup, useCommands } from './use-commands.ts'

function Group({ group, onClose }: { group: CommandGroup; onClose: () => void }) {
  const t = useTranslations('keyboard')
  if (group.commands.length === 0) return null
  return (
    <Command.Group
      heading={t(`groups.${group.name}`)}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2.5 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-second [&_[cmdk-group-heading]]:text-xs"
    >
      {group.commands.map(({ id, label, keywords = [], note, Icon, run }) => (
        <Command.Item
          key={id}
          value={id}
          keywords={[label, ...keywords]}
          onSelect={() => {
            onClose()
            run()
          }}
          className="flex min-h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 data-[selected=true]:bg-hover"
        >
          <Icon aria-hidden strokeWidth={1.75} className="size-4 shrink-0 text-second" />
          <span className="min-w-0 flex-1 truncate">{label}</span>
          {note !== undefined && <span className="max-w-[45%] truncate text-second text-sm">{note}</span>}
        </Command.Item>
      ))}
    </Command.Group>
  )
}

/** The command palette: one field that finds pages, keys, models, documentation and actions. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const t = useTranslations('keyboard')
  const [question, setQuestion] = useState('')
  const groups = useCommands(question)
  const focusBack = useRestoreFocus(true)
  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={overlayStyles} />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={focusBack}
          className="fixed top-[12dvh] left-1/2 z-50 w-[min(36rem,calc(100vw-1.5rem))] -translate-x-1/2 animate-appear overflow-hidden rounded-lg border bg-panel shadow-float outline-none"
        >
          <Dialog.Title className="sr-only">{t('palette')}</Dialog.Title>
          <Command label={t('palette')} loop>
            <div className="flex items-center gap-2.5 border-b px-4">
              <Search aria-hidden className="size-4 shrink-0 text-second" />
              <Command.Input
                value={question}
                onValueChange={setQuestion}
                placeholder={t('placeholder')}
                className="h-12 min-w-0 flex-1 bg-transparent text-[1rem] outline-none placeholder:text-second sm:text-base"
              />
              <Kbd>Esc</Kbd>
            </div>
            <Command.List label={t('found')} className="max-h-[min(26rem,58dvh)] overflow-y-auto px-1.5 pb-1.5">
              <Command.Empty className="px-3 py-8 text-center text-second">{t('nothing')}</Command.Empty>
              {groups.map((group) => (
                <Group key={group.name} group={group} onClose={onClose} />
              ))}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
