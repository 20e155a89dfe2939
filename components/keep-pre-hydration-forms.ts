declare global {
  interface Window {
    /** Forms that were submitted before the page could handle them. */
    early?: Set<HTMLFormElement> | undefined
  }
}

/**
 * Keeps forms with `data-early` that are submitted before anything handles them. This function is put into the page as text,
 * before everything else, so it must not use anything from outside itself.
 */
export function keepPreHydrationForms(): void {
  const kept = new Set<HTMLFormElement>()
  window.early = kept
  // Runs after all other handlers. If React handled the event, the browser's default is already prevented.
  window.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.dataset.early === undefined) return
    kept.delete(form)
    if (event.defaultPrevented) return
    event.preventDefault()
    kept.add(form)
  })
}
