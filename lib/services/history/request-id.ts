import { idPattern } from '#lib/contracts/cursor'

const FULL_ID = idPattern('req')
/** At least the digits that give the time to within about half an hour, so that it is a request's id and not a word. */
const ID_PREFIX = idPattern('req', 6)

/** True if a text has the form of a request's id, which starts with a readable time. */
export const isRequestId = (text: string): boolean => FULL_ID.test(text)

/** True if a text can only be a request's id or the beginning of one. */
export const isRequestIdPrefix = (text: string): boolean => ID_PREFIX.test(text)
