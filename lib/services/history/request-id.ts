import { idForm } from '#lib/contracts/cursor'

const WHOLE = idForm('req')
/** At least the digits of the time to some half an hour, so that it is a request's id and no word. */
const BEGINNING = idForm('req', 6)

/** True where a text has the form of a request's id, whose start is a time that can be read. */
export const isRequestId = (text: string): boolean => WHOLE.test(text)

/** True where a text can only be a request's id, or the beginning of one. */
export const beginsRequestId = (text: string): boolean => BEGINNING.test(text)
