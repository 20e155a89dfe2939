declare global {
  interface Window {
    /** Forms that were sent before the page could do it. */
    early?: Set<HTMLFormElement> | undefined
  }
}

/**
 * Keeps forms with `data-early` that are sent while nobody hears them. It stands in the page as text, ahead of everything
 * else: it may use nothing from outside itself.
 */
export function keepEarly(): void {
  const kept = new Set<HTMLFormElement>()
  window.early = kept
  // Here after all of the page: where React has heard of it, what the browser would do is prevented already.
  window.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.dataset.early === undefined) return
    kept.delete(form)
    if (event.defaultPrevented) return
    event.preventDefault()
    kept.add(form)
  })
}
