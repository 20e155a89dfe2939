import { expect, it } from 'vitest'
import { describeFileShortage } from './open-files-limit.ts'

const limits = (most: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             96000                96000                processes
Max open files            ${most.padEnd(20)} 1048576              files
`

it('says what to raise or to lower where a process may open too few files', () => {
  const message = describeFileShortage(limits('1024'), 5000)
  expect(message).toMatch(/may open 1024 files here, and 5000 requests .* up to 10200.*ulimit -n 10200.*MAX_CONCURRENCY=412\.$/)
  expect(describeFileShortage(limits('64'), 5000)).toContain('MAX_CONCURRENCY=1.')
})

it('says nothing where it is enough, has no end or is not known', () => {
  for (const enough of [limits('10200'), limits('unlimited'), '']) expect(describeFileShortage(enough, 5000)).toBeNull()
})
