import type { z } from 'zod'

/**
 * The fields of a form that its contract does not accept, each with the fault that the form has for it. The server names one
 * field at a time, so a form asks the contract itself, and shows all at once. Fields without a fault of their own are left to
 * the server.
 */
export function contractFaults<Fault extends string>(
  schema: z.ZodType,
  values: unknown,
  faultByField: Readonly<Record<string, Fault>>,
): Record<string, Fault> {
  const faults: Record<string, Fault> = {}
  for (const { path } of schema.safeParse(values).error?.issues ?? []) {
    const field = String(path[0] ?? '')
    const fault = Object.hasOwn(faultByField, field) ? faultByField[field] : undefined
    if (fault !== undefined) faults[field] = fault
  }
  return faults
}
