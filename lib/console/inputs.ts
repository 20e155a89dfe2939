/** Inputs of console routes that do not come from a form: ids in the path and the few values of a query. */
import { z } from 'zod'

/** `/api/…/{id}` */
export const idInput = z.strictObject({ id: z.string().min(1).max(64) })

/** GET /api/overview?days= */
export const overviewInput = z.strictObject({
  days: z
    .enum(['1', '7', '30', '90'])
    .default('30')
    .transform((days) => Number(days) as 1 | 7 | 30 | 90),
})

/** For a route that takes no input. */
export const noInput = z.strictObject({})
