import type { LogPort } from '#lib/gateway/ports'

/** A log that discards everything. */
export const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as LogPort
