'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Checkbox } from '../ui/checkbox.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { ShortcutKeys } from './shortcut-keys.tsx'
import { areSingleKeysEnabled, type Shortcut, setSingleKeysEnabled, useAllShortcuts } from './shortcuts.ts'

function ShortcutSection({ title, shortcuts }: { title: string; shortcuts: Shortcut[] }) {
  if (shortcuts.length === 0) return null
  return (
    <section>
      <h3 className="text-second text-sm">{title}</h3>
      <dl className="mt-1">
        {shortcuts.map(({ keys, label }) => (
          <div key={keys} className="flex min-h-9 items-center justify-between gap-4 border-line-soft border-b last:border-b-0">
            <dt>{label}</dt>
            <dd>
              <ShortcutKeys keys={keys} />
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
  const [on, setOn] = useState(areSingleKeysEnabled())
  const change = (next: boolean) => {
    setSingleKeysEnabled(next)
    setOn(next)
  }
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={t('listTitle')}>
      <DialogBody>
        <ShortcutSection title={t('onPage')} shortcuts={all.filter(({ place }) => place === 'page')} />
        <ShortcutSection title={t('everywhere')} shortcuts={all.filter(({ place }) => place === 'everywhere')} />
        <Checkbox checked={on} onChange={change} label={t('singleKeys')} hint={t('singleKeysHint')} />
      </DialogBody>
    </Dialog>
  )
}
