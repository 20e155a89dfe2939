/** Text as PostgreSQL takes it: what a client or a vendor wrote may not make a charge impossible to record. */
export const storable = (text: string, most: number): string => text.slice(0, most).toWellFormed().replaceAll('\0', '\ufffd')
