/** What an Idempotency-Key header may contain: printable ASCII without spaces. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
