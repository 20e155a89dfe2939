import type { ConsolePorts } from '../ports.ts'
import type { Notices } from './notices-ports.ts'

/** One failure may be a bad address. Two in a row mean that the mail server is unavailable. */
const MAX_FAILURES = 2

/**
 * Sends pending notices, a few at a time so that no claim expires before its turn. Notices that cannot be sent now are sent
 * later. Returns how many were sent.
 */
export async function tellNotices({
  ctx,
}: {
  ctx: Pick<ConsolePorts, 'clock' | 'noticeBox'> & { notices: Notices }
}): Promise<number> {
  let told = 0
  let failures = 0
  for (;;) {
    const events = await ctx.noticeBox.claim(ctx.clock.now())
    if (events.length === 0) return told
    for (const event of events) {
      if (failures === MAX_FAILURES) return told
      const sent = await ctx.notices.tell(event).then(
        () => true,
        () => false,
      )
      failures = sent ? 0 : failures + 1
      if (!sent) continue
      await ctx.noticeBox.told(event.id)
      told++
    }
  }
}
