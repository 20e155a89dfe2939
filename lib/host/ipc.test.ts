import { expect, it } from 'vitest'
import { IpcChannel } from './ipc.ts'

/** Two ends of a channel that passes messages as JSON, as between processes. */
function pair(here: Record<string, (data: unknown) => unknown>, there: Record<string, (data: unknown) => unknown>) {
  const state = { up: true }
  const to = (other: () => IpcChannel) => ({
    send(message: object) {
      if (state.up) queueMicrotask(() => other().receive(JSON.parse(JSON.stringify(message))))
      return state.up
    },
  })
  const one: IpcChannel = new IpcChannel(
    to(() => two),
    here,
  )
  const two: IpcChannel = new IpcChannel(
    to(() => one),
    there,
  )
  return { one, two, state }
}

it('asks and answers both ways, each answer to its question', async () => {
  const { one, two } = pair({ name: () => 'one' }, { double: async (n) => (n as number) * 2 })
  expect(await Promise.all([1, 2, 3].map((n) => one.request('double', n, 1000)))).toEqual([2, 4, 6])
  expect(await two.request('name', null, 1000)).toBe('one')
})

it('says what went wrong, and does not wait for what does not come', async () => {
  const { one, two, state } = pair(
    {},
    {
      fail() {
        throw new Error('broken')
      },
      never: () => new Promise(() => {}),
    },
  )
  await expect(one.request('fail', null, 1000)).rejects.toThrow('broken')
  await expect(one.request('nothing', null, 1000)).rejects.toThrow('nobody answers "nothing"')
  await expect(one.request('never', null, 10)).rejects.toThrow('within 10 ms')
  const waiting = one.request('never', null, 60_000)
  one.close()
  await expect(waiting).rejects.toThrow('gone')
  state.up = false
  await expect(two.request('name', null, 60_000)).rejects.toThrow('gone')
})

it('leaves the messages of others alone', () => {
  const { one } = pair({}, {})
  for (const message of [null, 'x', 7, { cmd: 'NODE_HANDLE' }, { tollgate: 'answer', id: 99 }])
    expect(() => one.receive(message)).not.toThrow()
})
