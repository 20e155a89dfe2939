import type { LogPort } from '#lib/gateway/ports'

/** A log that nobody reads. */
export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as LogPort
