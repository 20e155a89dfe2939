/** What the header Idempotency-Key may be: printable, without spaces. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
