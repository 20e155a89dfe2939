import { resolve } from 'node:path'

/** Reference data that is not part of the project: next to it, or where REFERENCE points. */
export const REFERENCE = process.env.REFERENCE ?? resolve(import.meta.dirname, '../../../shared/reference')

/** True if it has to exist, as on a build server. */
export const referenceRequired = process.env.CI === 'true'
