import { resolve } from 'node:path'

/** Reference data that is no part of the project: beside it, or where REFERENCE says. */
export const REFERENCE = process.env.REFERENCE ?? resolve(import.meta.dirname, '../../../shared/reference')

/** True where it has to be there, as on a build server. */
export const referenceRequired = process.env.CI === 'true'
