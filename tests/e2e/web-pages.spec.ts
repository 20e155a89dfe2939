import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@playwright/test'
import { createKey, signUp } from './user-actions.ts'

test('a page of another origin calls the API with a key that it was given, and reads what it answers', async ({
  page,
  baseURL,
}) => {
  await signUp(page, 'Pages')
  const secret = await createKey(page, 'in a browser')
  const otherOrigin = createServer((_request, response) => response.end('<!doctype html><p>Elsewhere')).listen(0, '127.0.0.1')
  await once(otherOrigin, 'listening')
  await page.goto(`http://127.0.0.1:${(otherOrigin.address() as AddressInfo).port}`)
  const ask = (key: string) =>
    page.evaluate(
      async ({ url, authorization }) => {
        const body = { model: 'sandbox/chat', stream: true, messages: [{ role: 'user', content: 'Hello' }] }
        const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': authorization.slice(-9) }
        const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
        return { status: response.status, id: response.headers.get('x-request-id'), text: await response.text() }
      },
      { url: baseURL, authorization: `Bearer ${key}` },
    )
  const id = expect.stringMatching(/^req_/)
  expect(await ask(secret)).toEqual({ status: 200, id, text: expect.stringContaining('[DONE]') })
  expect(await ask('sk-tg-wrong')).toEqual({ status: 401, id, text: expect.stringContaining('invalid_api_key') })
  otherOrigin.close()
})
