'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Checkbox } from '../ui/checkbox.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { KeysOf } from './keys-of.tsx'
import { type Shortcut, singleKeysOn, switchSingleKeys, useAllShortcuts } from './shortcuts.ts'

function Part({ title, shortcuts }: { title: string; shortcuts: Shortcut[] }) {
  if (shortcuts.length === 0) return null
  return (
    <section>
      <h3 className="text-second text-sm">{title}</h3>
      <dl className="mt-1">
        {shortcuts.map(({ keys, label }) => (
          <div key={keys} className="flex min-h-9 items-center justify-between gap-4 border-line-soft border-b last:border-b-0">
            <dt>{label}</dt>
            <dd>
              <KeysOf keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** All keyboard shortcuts of this page. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const t = useTranslations('keyboard')
  const all = useAllShortcuts()
  const [on, setOn] = useState(singleKeysOn())
  const change = (next: boolean) => {
    switchSingleKeys(next)
    setOn(next)
  }
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={t('listTitle')}>
      <DialogBody>
        <Part title={t('onPage')} shortcuts={all.filter(({ place }) => place === 'page')} />
        <Part title={t('everywhere')} shortcuts={all.filter(({ place }) => place === 'everywhere')} />
        <Checkbox checked={on} onChange={change} label={t('singleKeys')} hint={t('singleKeysHint')} />
      </DialogBody>
    </Dialog>
  )
}
