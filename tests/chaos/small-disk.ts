import { execFileSync } from 'node:child_process'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTestDirectory } from '../support/server.ts'

const CHUNK = Buffer.alloc(1024 * 1024)

/** A directory on a file system of its own, which can be filled to the last byte. */
export interface SmallDisk {
  readonly dir: string
  fill(): Promise<void>
  free(): Promise<void>
  /** Unmounts the file system. Its content is lost. */
  unmount(): void
}

/** Mounts a disk in memory. `size` is in the format of mount. Null if this user may not mount. */
export async function mountSmallDisk(size = '3g'): Promise<SmallDisk | null> {
  const dir = await makeTestDirectory()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0711`, 'tollgate-chaos', dir], { stdio: 'ignore' })
  } catch {
    await rm(dir, { recursive: true, force: true })
    return null
  }
  const ballast = join(dir, 'ballast')
  let mounted = true
  return {
    dir,
    async fill() {
      const { bavail, bsize } = await statfs(dir)
      const file = await open(ballast, 'w')
      try {
        // Others write at the same time, so the last pieces are written one page at a time.
        for (let left = bavail * bsize; left > 0; left -= CHUNK.length) await file.write(CHUNK)
        for (;;) await file.write(CHUNK, 0, 4096)
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'ENOSPC') throw error
      } finally {
        await file.close()
      }
    },
    free: () => rm(ballast, { force: true }),
    unmount() {
      if (!mounted) return
      mounted = false
      execFileSync('umount', ['-l', dir], { stdio: 'ignore' })
    },
  }
}
