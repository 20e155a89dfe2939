/** Escapes user input for a LIKE pattern, so that it is matched literally. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
