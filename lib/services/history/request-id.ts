const SHAPE = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** True where a text has the form of a request's id, whose start is a time that can be read. */
export const isRequestId = (text: string): boolean => SHAPE.test(text)
