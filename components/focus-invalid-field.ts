/** Focuses the first field that is marked invalid, in the form that contains the focus, which is the one that was submitted. */
export function focusInvalidField(): void {
  const form = document.activeElement?.closest('form')
  form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')?.focus()
}
