import type { Notices } from './notices-ports.ts'
import type { ConsolePorts } from './ports.ts'

/** Tells what has been written down to be told. What cannot be told now is told later. Answers how many were. */
export async function tellNotices({
  ctx,
}: {
  ctx: Pick<ConsolePorts, 'clock' | 'noticeBox'> & { notices: Notices }
}): Promise<number> {
  let told = 0
  for (const event of await ctx.noticeBox.claim(ctx.clock.now())) {
    try {
      await ctx.notices.tell(event)
    } catch {
      continue
    }
    await ctx.noticeBox.told(event.id)
    told++
  }
  return told
}
