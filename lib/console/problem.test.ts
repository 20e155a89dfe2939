import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Problem } from '../contracts/common.ts'
import { messageWith } from '../messages/message.ts'
import { invalidField, ServiceError } from '../services/service-error.ts'
import { messageOfIssue } from '../services/zod-issue.ts'
import { problemAnswer } from './problem.ts'

const logged: object[] = []
const log = { error: (fields: object) => void logged.push(fields), warn: () => undefined }

const toldOf = async (error: unknown, headers: Record<string, string> = {}): Promise<Problem['error']> =>
  ((await problemAnswer(error, new Request('http://localhost/api/keys', { headers }), log).json()) as Problem).error

const CHINESE = { cookie: 'theme=dark; locale=zh' }
const full = () =>
  new ServiceError(
    'conflict',
    messageWith('An account can have at most {most} keys. Revoke one that is no longer used.', { most: 200 }),
  )

it('is told in the language of the pages, which is English where none is chosen', async () => {
  const english = 'An account can have at most 200 keys. Revoke one that is no longer used.'
  const chinese = '每个账户最多 200 个密钥，请吊销一个不再使用的。'
  expect((await toldOf(full())).message).toBe(english)
  expect((await toldOf(full(), { 'accept-language': '*' })).message).toBe(english)
  expect((await toldOf(full(), { ...CHINESE, 'accept-language': 'en' })).message).toBe(chinese)
  expect((await toldOf(full(), { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' })).message).toBe(chinese)
  expect((await toldOf(full(), { cookie: 'locale=en', 'accept-language': 'zh-CN' })).message).toBe(english)
  expect(full().message).toBe(english)
})

it('names the field and the code the same in every language', async () => {
  const error = invalidField('to', 'The end must be after the start.')
  expect(await toldOf(error, CHINESE)).toEqual({ code: 'invalid_input', field: 'to', message: '结束时间必须晚于开始时间。' })
})

it('puts values in as they are, and words of ours in the same language', async () => {
  const thing = messageWith('connection', {})
  const error = new ServiceError(
    'conflict',
    messageWith('Somebody else has changed this {thing} ({id}) since you opened it. Reload it, then make your change.', {
      thing,
      id: '{thing}',
    }),
  )
  expect((await toldOf(error)).message).toMatch(/^Somebody else has changed this connection \(\{thing\}\) since/)
  expect((await toldOf(error, CHINESE)).message).toBe('您打开之后，他人更改了此连接（{thing}）。请重新加载后再更改。')
})

it('has no Chinese for the words of a library, and says the least of them', async () => {
  const issue = z.enum(['a', 'b']).safeParse('c').error?.issues[0]
  const error = invalidField('scope', messageOfIssue(issue))
  expect((await toldOf(error)).message).toBe(issue?.message)
  expect((await toldOf(error, CHINESE)).message).toBe('此值无效。')
})

it('is told of a fault of ours, while the log has it in English', async () => {
  expect(await toldOf(new Error('the disk is full'), CHINESE)).toEqual({
    code: 'server_error',
    message: '网关出错了，请稍后再试。',
  })
  expect(logged.at(-1)).toMatchObject({ error: { message: 'the disk is full' } })
})
