/** Puts the focus on the first field that is marked wrong, in the form that was sent: what has the focus stands in it. */
export function focusFault(): void {
  const form = document.activeElement?.closest('form')
  form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')?.focus()
}
