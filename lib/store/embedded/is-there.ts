import { lstat } from 'node:fs/promises'

/** Whether there is anything at a path, were it a link to nothing. */
export const isThere = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) !== null
