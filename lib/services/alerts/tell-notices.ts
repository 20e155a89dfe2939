import type { ConsolePorts } from '../ports.ts'
import type { Notices } from './notices-ports.ts'

/** One that cannot be told may have a bad address; two in a row are a mail server that is away. */
const MOST_FAILURES = 2

/**
 * Tells what has been written down to be told, a few at a time, so that no claim runs out before its turn. What cannot be told
 * now is told later. Answers how many were.
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
      if (failures === MOST_FAILURES) return told
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
