import { idForm } from '#lib/contracts/cursor'

const WHOLE = idForm('req')
/** At least the digits that give the time to within about half an hour, so that it is a request's id and not a word. */
const BEGINNING = idForm('req', 6)

/** True if a text has the form of a request's id, which starts with a readable time. */
export const isRequestId = (text: string): boolean => WHOLE.test(text)

/** True if a text can only be a request's id or the beginning of one. */
export const beginsRequestId = (text: string): boolean => BEGINNING.test(text)
