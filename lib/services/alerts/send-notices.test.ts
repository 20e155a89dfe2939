import { expect, it } from 'vitest'
import type { NoticeEvent } from './notices-ports.ts'
import { sendNotices } from './send-notices.ts'

const AT = new Date('2026-11-25T10:00:00Z')
const CONCURRENCY = 5

/** Sends this many notices, some of which fail. Returns how many were sent, which were tried, and which are left. */
async function sendMany(count: number, fails: (id: number) => boolean) {
  const waiting = Array.from({ length: count }, (_, id) => id)
  const [tried, left]: [number[], number[]] = [[], [...waiting]]
  const result = await sendNotices({
    ctx: {
      clock: { now: () => AT },
      noticeOutbox: {
        claim: async () => waiting.splice(0, CONCURRENCY).map((id) => ({ id: String(id) }) as NoticeEvent),
        markNotified: async (id) => void left.splice(left.indexOf(Number(id)), 1),
      },
      notices: {
        notify: async ({ id }) => {
          tried.push(Number(id))
          if (fails(Number(id))) throw new Error('no such address')
        },
      },
    },
  })
  return { told: result, tried, left }
}

it('tells all that there is, also what is more than one claim', async () => {
  expect(await sendMany(12, () => false)).toMatchObject({ told: 12, left: [] })
})

it('goes on after one that cannot be told, which is left for later', async () => {
  expect(await sendMany(12, (id) => id === 1 || id === 4)).toMatchObject({ told: 10, left: [1, 4] })
})

it('gives up for now after two in a row: whoever takes no mail takes none for all the others', async () => {
  expect(await sendMany(12, (id) => id >= 3)).toMatchObject({ told: 3, tried: [0, 1, 2, 3, 4] })
})
