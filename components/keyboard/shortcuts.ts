'use client'
import { useEffect, useSyncExternalStore } from 'react'
import { tinykeys } from 'tinykeys'

/** Keys that do something, and what. */
export interface Shortcut {
  /** As tinykeys reads them: `$mod+k`, `g k` one after the other, `[Shift]+?` with or without Shift. */
  keys: string
  label: string
  /** Shown apart in the list: what works on every page, and what is this page's. */
  place: 'everywhere' | 'page'
  /** Without it the page listens itself, and the shortcut is only listed. */
  run?: () => void
}

/** A value outside of React that components can watch. */
function cell<T>(first: T) {
  let value = first
  const listeners = new Set<() => void>()
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const read = () => value
  return {
    read,
    write(next: T) {
      value = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(listen, read, () => first),
  }
}

const registry = cell<readonly (readonly Shortcut[])[]>([])
const overlay = cell<'palette' | 'list' | null>(null)

/** The list of all shortcuts there are now, in the order in which they came. */
export const useAllShortcuts = (): Shortcut[] => registry.use().flat()

/** Which of the keyboard's windows is open. */
export const useOverlay = overlay.use
export const showOverlay = overlay.write

const SINGLE_KEYS = 'tollgate.single-keys'

/**
 * Whether keys without Ctrl or Cmd do something. Who speaks to their browser, or hits keys by accident, can switch them
 * off (WCAG 2.1.4); the browser remembers it.
 */
export function singleKeysOn(): boolean {
  try {
    return window.localStorage.getItem(SINGLE_KEYS) !== 'off'
  } catch {
    return true
  }
}

export function switchSingleKeys(on: boolean): void {
  try {
    if (on) window.localStorage.removeItem(SINGLE_KEYS)
    else window.localStorage.setItem(SINGLE_KEYS, 'off')
  } catch {
    // A browser that keeps nothing keeps the keys as they are.
  }
}

const TYPING = 'input, textarea, select, [contenteditable]'
const OVER = '[role="menu"], [role="listbox"], [role="dialog"], [role="alertdialog"]'

function isElsewhere(event: KeyboardEvent): boolean {
  if (event.repeat || event.isComposing || event.defaultPrevented) return true
  if (event.metaKey || event.ctrlKey) return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
  const target = event.target instanceof Element ? event.target : null
  return !singleKeysOn() || target?.closest(`${TYPING}, ${OVER}`) != null
}

/**
 * Puts shortcuts into the list that `?` opens, and listens for them as long as the component is there: not while
 * something is typed, nor under an open menu or window. Hand in what `useMemo` keeps.
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
    const stop = tinykeys(window, Object.fromEntries(bindings), { ignore: isElsewhere })
    return () => {
      stop()
      registry.write(registry.read().filter((list) => list !== shortcuts))
    }
  }, [shortcuts])
}
