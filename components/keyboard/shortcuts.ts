'use client'
import { useEffect } from 'react'
import { tinykeys } from 'tinykeys'
import { createStore } from '../create-store.ts'

/** A keyboard shortcut and its action. */
export interface Shortcut {
  /** In the syntax of tinykeys: `$mod+k`, `g k` for a sequence, `[Shift]+?` with or without Shift. */
  keys: string
  label: string
  /** The section in the list: shortcuts of every page, and those of this page. */
  place: 'everywhere' | 'page'
  /** Without it, the page handles the keys itself and the shortcut is only listed. */
  run?: () => void
}

const registry = createStore<readonly (readonly Shortcut[])[]>([])
const overlay = createStore<'palette' | 'list' | null>(null)

/** All current shortcuts, in the order of registration. */
export const useAllShortcuts = (): Shortcut[] => registry.use().flat()

/** Which dialog of the keyboard is open. */
export const useOverlay = overlay.use
export const showOverlay = overlay.write

const SINGLE_KEYS_STORAGE_KEY = 'tollgate.single-keys'

/**
 * Whether keys without Ctrl or Cmd are active. Readers who use speech input, or who hit keys by accident, can turn them off
 * (WCAG 2.1.4). The browser stores the choice.
 */
export function areSingleKeysEnabled(): boolean {
  try {
    return window.localStorage.getItem(SINGLE_KEYS_STORAGE_KEY) !== 'off'
  } catch {
    return true
  }
}

export function setSingleKeysEnabled(on: boolean): void {
  try {
    if (on) window.localStorage.removeItem(SINGLE_KEYS_STORAGE_KEY)
    else window.localStorage.setItem(SINGLE_KEYS_STORAGE_KEY, 'off')
  } catch {
    // If the browser does not allow storage, the keys stay as they are.
  }
}

const FORM_CONTROL_SELECTOR = 'input, textarea, select, [contenteditable]'
const OVERLAY_SELECTOR = '[role="menu"], [role="listbox"], [role="dialog"], [role="alertdialog"]'

function shouldIgnore(event: KeyboardEvent): boolean {
  if (event.repeat || event.isComposing || event.defaultPrevented) return true
  if (event.metaKey || event.ctrlKey) return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
  const target = event.target instanceof Element ? event.target : null
  return !areSingleKeysEnabled() || target?.closest(`${FORM_CONTROL_SELECTOR}, ${OVERLAY_SELECTOR}`) != null
}

/**
 * Adds shortcuts to the list that `?` opens, and handles them while the component is mounted: not while the reader types, nor
 * under an open menu or dialog. The argument has to be memoized with `useMemo`.
 */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    registry.write([...registry.read(), shortcuts])
    const bindings = shortcuts.flatMap(({ keys, run }) =>
      run === undefined
        ? []
        : [
            [
              keys,
              (event: KeyboardEvent) => {
                event.preventDefault()
                run()
              },
            ] as const,
          ],
    )
    const stop = tinykeys(window, Object.fromEntries(bindings), { ignore: shouldIgnore })
    return () => {
      stop()
      registry.write(registry.read().filter((list) => list !== shortcuts))
    }
  }, [shortcuts])
}
