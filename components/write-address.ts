/**
 * Sets or removes (null) parameters of the page's address without requesting the page from the server again. With `push`, the
 * Back button returns to the previous address.
 */
export function writeAddress(changes: Record<string, string | null>, how: 'push' | 'replace' = 'replace'): void {
  const params = new URLSearchParams(window.location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') params.delete(name)
    else params.set(name, value)
  }
  const query = params.toString()
  const address = query === '' ? window.location.pathname : `?${query}`
  if (how === 'push') window.history.pushState(null, '', address)
  else window.history.replaceState(null, '', address)
}
