import { lstat } from 'node:fs/promises'

/** Whether anything exists at a path, including a broken link. */
export const pathExists = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) !== null
