'use client'
import { useEffect } from 'react'
import type { RequestRow } from '#lib/contracts/requests'

const BUSY = 'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"], [role="alertdialog"]'

interface RowKeys {
  rows: RequestRow[]
  onOpen: (id: string) => void
  onClose: () => void
}

/** J and K go down and up the rows, Esc closes; not while something is typed or chosen elsewhere. */
export function useRowKeys({ rows, onOpen, onClose }: RowKeys): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || target?.closest(BUSY)) return
      // From the address, which is ahead of what is drawn when keys follow each other quickly.
      const openId = new URLSearchParams(window.location.search).get('id')
      const step = { j: 1, k: -1 }[event.key.toLowerCase()]
      if (event.key === 'Escape' && openId !== null) onClose()
      if (step === undefined) return
      const index = rows.findIndex((row) => row.id === openId)
      const next = rows[Math.max(0, index + step)]
      if (next === undefined) return
      onOpen(next.id)
      const link = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(next.id)}"]`)
      link?.focus({ preventScroll: true })
      link?.closest('tr')?.scrollIntoView({ block: 'nearest' })
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [rows, onOpen, onClose])
}
