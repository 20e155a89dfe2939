'use client'
import { useTranslations } from 'next-intl'
import { useMemo, useRef } from 'react'
import type { RequestRow } from '#lib/contracts/requests'
import { type Shortcut, useShortcuts } from '../keyboard/shortcuts.ts'

interface RowActions {
  rows: RequestRow[]
  onOpen: (id: string, how?: { byKeyboard: boolean }) => void
  onClose: () => void
  /** Scrolls to a row that may not be rendered. */
  onShow: (index: number) => void
  /** Loads the next page. */
  onMore: () => void
  onSearch: () => void
  onFilter: () => void
}

// Read from the address, which is ahead of the rendered state when keys follow each other quickly.
const currentOpenId = () => new URLSearchParams(window.location.search).get('id')

/** The link of a row, null if the row is not rendered. */
export const rowLinkOf = (id: string) => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)

function focusRow(link: HTMLElement): void {
  link.focus({ preventScroll: true })
  link.closest('tr')?.scrollIntoView({ block: 'nearest' })
}

/** How many frames to wait for a row to render: more than a second. */
const MAX_FRAMES = 90

/** Focuses a row as soon as it is rendered, unless another one is opened first. */
function focusWhenRendered(id: string, framesLeft = MAX_FRAMES): void {
  const link = rowLinkOf(id)
  if (link !== null) focusRow(link)
  else if (framesLeft > 0 && currentOpenId() === id) requestAnimationFrame(() => focusWhenRendered(id, framesLeft - 1))
}

function moveRow({ rows, onOpen, onShow }: RowActions, step: number): void {
  const openId = currentOpenId()
  const index = Math.max(0, rows.findIndex((row) => row.id === openId) + step)
  const next = rows[index]
  if (next === undefined) return
  onOpen(next.id)
  if (rowLinkOf(next.id) === null) onShow(index)
  focusWhenRendered(next.id)
}

function openFocused({ rows, onOpen }: RowActions): void {
  const focused = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row ?? rows[0]?.id
  if (focused !== undefined) onOpen(focused, { byKeyboard: true })
}

/**
 * J and K move down and up the rows, O opens the focused row or the first one and moves into it, and Esc closes. `/` searches, F opens the
 * filters, and `]` loads the next page. Inactive while the reader types or selects something elsewhere.
 */
export function useRowShortcuts(actions: RowActions): void {
  const t = useTranslations('keyboard')
  // The rows change with every new request, but the list of shortcuts does not.
  const latest = useRef(actions)
  latest.current = actions
  const shortcuts = useMemo(
    () =>
      [
        { keys: 'j', label: t('rowDown'), run: () => moveRow(latest.current, 1) },
        { keys: 'k', label: t('rowUp'), run: () => moveRow(latest.current, -1) },
        { keys: 'o', label: t('openRow'), run: () => openFocused(latest.current) },
        { keys: 'Escape', label: t('closePanel'), run: () => currentOpenId() !== null && latest.current.onClose() },
        { keys: '/', label: t('searchHere'), run: () => latest.current.onSearch() },
        { keys: 'f', label: t('filterHere'), run: () => latest.current.onFilter() },
        { keys: ']', label: t('more'), run: () => latest.current.onMore() },
      ].map((shortcut): Shortcut => ({ ...shortcut, run: () => void shortcut.run(), place: 'page' })),
    [t],
  )
  useShortcuts(shortcuts)
}
