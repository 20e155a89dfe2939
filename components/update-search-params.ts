/**
 * Sets or removes (null) parameters of the page's address without requesting the page from the server again. With `push`, the
 * Back button returns to the previous address.
 */
export function updateSearchParams(changes: Record<string, string | null>, mode: 'push' | 'replace' = 'replace'): void {
  const params = new URLSearchParams(window.location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') params.delete(name)
    else params.set(name, value)
  }
  const query = params.toString()
  const url = query === '' ? window.location.pathname : `?${query}`
  if (mode === 'push') window.history.pushState(null, '', url)
  else window.history.replaceState(null, '', url)
}
