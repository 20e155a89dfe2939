import type { ConsolePorts } from '../ports.ts'
import type { Notices } from './notices-ports.ts'

/** One failure may be a bad address. Two in a row mean that the mail server is unavailable. */
const MAX_FAILURES = 2

/**
 * Sends pending notices, a few at a time so that no claim expires before its turn. Notices that cannot be sent now are sent
 * later. Returns how many were sent.
 */
export async function sendNotices({
  ctx,
}: {
  ctx: Pick<ConsolePorts, 'clock' | 'noticeOutbox'> & { notices: Notices }
}): Promise<number> {
  let sentCount = 0
  let failures = 0
  for (;;) {
    const events = await ctx.noticeOutbox.claim(ctx.clock.now())
    if (events.length === 0) return sentCount
    for (const event of events) {
      if (failures === MAX_FAILURES) return sentCount
      const sent = await ctx.notices.notify(event).then(
        () => true,
        () => false,
      )
      failures = sent ? 0 : failures + 1
      if (!sent) continue
      await ctx.noticeOutbox.markNotified(event.id)
      sentCount++
    }
  }
}
