import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { updateSearchParams } from '../update-search-params.ts'
import { useRowAnchor } from './use-row-anchor.ts'
import { rowLinkOf } from './use-row-shortcuts.ts'

/** Opens a request. If a key did that, the focus moves into the panel, which is far behind the rows otherwise. */
export type OpenRequest = (id: string, how?: { byKeyboard: boolean }) => void

/** Opens and closes requests in a panel next to the list. `panel` is null where the panel takes the focus by itself. */
export function useOpenRequest(openId: string | null, panel: RefObject<HTMLElement | null>) {
  const anchorRow = useRowAnchor(openId)
  const movesFocus = useRef(false)
  useEffect(() => {
    if (openId !== null && movesFocus.current) panel.current?.focus({ preventScroll: true })
    movesFocus.current = false
  }, [openId, panel])
  const open: OpenRequest = useCallback(
    (id, { byKeyboard } = { byKeyboard: false }) => {
      // The Back button closes the first opened request. Moving on from row to row adds no history entries.
      const first = !new URLSearchParams(window.location.search).has('id')
      if (first) anchorRow(id, id)
      // The panel of the open request is there already.
      if (byKeyboard && id === openId) panel.current?.focus({ preventScroll: true })
      else movesFocus.current = byKeyboard
      updateSearchParams({ id }, first ? 'push' : 'replace')
    },
    [anchorRow, openId, panel],
  )
  const close = useCallback(() => {
    if (openId !== null) anchorRow(openId, null)
    // What has the focus is about to go: the row that it came from gets it back.
    if (openId !== null && panel.current?.contains(document.activeElement)) rowLinkOf(openId)?.focus({ preventScroll: true })
    updateSearchParams({ id: null })
  }, [anchorRow, openId, panel])
  return { open, close }
}
