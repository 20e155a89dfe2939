'use client'
import { Search } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { ShortcutKeys } from './shortcut-keys.tsx'
import { showOverlay } from './shortcuts.ts'

/** Opens the palette, and shows the keys that do the same. */
export function SearchButton({ onOpen }: { onOpen?: () => void }) {
  const t = useTranslations('keyboard')
  // The server does not know which keys the reader's system uses.
  const [mounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  return (
    <button
      type="button"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => {
        onOpen?.()
        showOverlay('palette')
      }}
      className="flex h-8 w-full items-center gap-2.5 rounded-md border bg-panel px-2 text-left text-second transition-colors hover:bg-hover hover:text-ink"
    >
      <Search aria-hidden strokeWidth={1.75} className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 truncate">{t('search')}</span>
      <span aria-hidden className={mounted ? 'hidden lg:inline' : 'hidden'}>
        <ShortcutKeys keys="$mod+k" />
      </span>
    </button>
  )
}
