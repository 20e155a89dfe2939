import { expectBalancedBooks } from '../support/ledger.ts'
import { addVideoModel } from '../support/videos.ts'
import { type ApiWorld, openApiWorld, untilModelKnown } from './api-world.ts'
import { startVideoVendor, type VideoVendor } from './video-vendor.ts'

export interface VideoWorld {
  world: ApiWorld
  vendor: VideoVendor
  /** Ends both, once the books are balanced. */
  close(): Promise<void>
}

/** A gateway, and the vendor of its model `fake/video`. */
export async function openVideoWorld(env: Record<string, string> = {}): Promise<VideoWorld> {
  const world = await openApiWorld(env)
  const vendor = await startVideoVendor()
  await addVideoModel(world.pool, 'fake/video', vendor.url)
  await untilModelKnown(world, 'fake/video')
  return {
    world,
    vendor,
    async close() {
      await expectBalancedBooks(world.pool)
      await world[Symbol.asyncDispose]()
      await vendor[Symbol.asyncDispose]()
    },
  }
}
