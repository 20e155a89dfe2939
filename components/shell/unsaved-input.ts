type TextField = HTMLInputElement | HTMLTextAreaElement

/** The fields that were typed in. */
const touched = new Set<TextField>()
/** Forms that were sent since somebody last typed in them. */
const sent = new WeakSet<HTMLFormElement>()

const ERROR_SELECTOR = '[aria-invalid="true"], [role="alert"]'

function recordTyping({ target }: Event): void {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return
  touched.add(target)
  if (target.form) sent.delete(target.form)
}

function recordSubmit({ target }: Event): void {
  if (target instanceof HTMLFormElement) sent.add(target)
}

function touchedFields(): TextField[] {
  for (const field of touched) if (!field.isConnected) touched.delete(field)
  return [...touched]
}

/** Starts to track typing. Returns a function that stops it. */
export function trackTyping(): () => void {
  const stop = new AbortController()
  const options = { capture: true, passive: true, signal: stop.signal }
  window.addEventListener('input', recordTyping, options)
  window.addEventListener('submit', recordSubmit, options)
  return () => stop.abort()
}

/** Whether the page has text in a form. Searches and filters do not count, because they are in the address. */
export const hasTypedText = (): boolean => touchedFields().some(({ form, value }) => form?.method === 'post' && value !== '')

/**
 * Whether a form that changes something stored (`data-saves`) was typed in and not saved. A form that was sent counts as saved
 * unless it shows an error.
 */
export const hasUnsaved = (): boolean =>
  touchedFields().some(
    ({ form }) => form?.dataset.saves !== undefined && (!sent.has(form) || form.querySelector(ERROR_SELECTOR) !== null),
  )

/** Gives up what was typed. */
export const clearTyping = (): void => touched.clear()
