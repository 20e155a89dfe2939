// Screenshots of every page of the site and the console, light and dark, wide and narrow, of an account that is in use.
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { PORT } from '../e2e/log.ts'
import { createKey, signInAsOwner, signUp } from '../e2e/user-actions.ts'

const FOLDER = process.env.SCREENS ?? 'public/screens'
/** What is taken without SCREENS: the screenshots in the README. */
const README = [
  ['overview', '/overview', 'light'],
  ['history', '/history?open', 'dark'],
  ['usage', '/usage', 'light'],
  ['playground', '/playground', 'dark'],
  ['models', '/models', 'light'],
  ['docs', '/docs/quickstart', 'dark'],
] as const

/** Pages that visitors see. A signed-in user is redirected from some of them. */
const GUEST_PAGES = {
  landing: '/',
  models: '/models',
  model: '/models/sandbox/chat',
  docs: '/docs/quickstart',
  reference: '/docs/api/chat_completions',
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  forgot: '/forgot',
}

const PAGES = {
  overview: '/overview',
  keys: '/keys',
  key: '/keys?one',
  playground: '/playground',
  images: '/playground?mode=images',
  speech: '/playground?mode=speech',
  transcribe: '/playground?mode=transcribe',
  video: '/playground?mode=video',
  usage: '/usage',
  history: '/history',
  panel: '/history?open',
  billing: '/billing',
  profile: '/settings',
  security: '/settings/security',
  notifications: '/settings/notifications',
  webhooks: '/settings/webhooks',
  data: '/settings/data',
}

/** Pages that only operators see. The test of a failover drill takes screenshots of the traffic during one. */
const OPERATOR_PAGES = {
  traffic: '/operator/traffic',
  'traffic-vendors': '/operator/traffic?by=connection&measure=took',
  connections: '/operator/connections',
  connection: '/operator/connections/con_sandbox',
  'operator-models': '/operator/models',
  'operator-model': '/operator/models/sandbox/chat',
  groups: '/operator/groups',
  group: '/operator/groups/grp_default',
  accounts: '/operator/accounts',
  account: '/operator/accounts/{account}',
  codes: '/operator/codes',
  alerts: '/operator/alerts',
  'operator-settings': '/operator/settings',
  audit: '/operator/audit',
}

const PROMPTS = [
  'What is a prepaid gateway?',
  'Write a haiku about toll roads.',
  'Give me a table of three rivers and their lengths, and a line of Python that prints one.',
  'Translate "the gate is open" into Chinese.',
]

/** Calls many models, with success and without. */
async function useIt(request: APIRequestContext, secret: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}` }
  const chat = (model: string, content: string, stream = false) =>
    request.post('/v1/chat/completions', { headers, data: { model, stream, messages: [{ role: 'user', content }] } })
  for (let turn = 0; turn < 24; turn++) await chat('sandbox/chat', PROMPTS[turn % PROMPTS.length] ?? '', turn % 3 === 0)
  for (const model of ['sandbox/error-429', 'sandbox/error-503']) await chat(model, 'Hello')
  await request.post('/v1/embeddings', { headers, data: { model: 'sandbox/embed', input: PROMPTS } })
  await request.post('/v1/images/generations', { headers, data: { model: 'sandbox/image', prompt: 'A gate at dusk' } })
  await request.post('/v1/audio/speech', { headers, data: { model: 'sandbox/speech', input: 'The gate is open.', voice: 'low' } })
  await chat('sandbox/chat', PROMPTS[2] ?? '', true)
}

/** Opens the page of a path. Some pages need something on them to be open. */
async function open(page: Page, path: string): Promise<void> {
  const [at = path, mark] = path.split(/\?(open|one)$/)
  await page.goto(at)
  await page.waitForLoadState('networkidle')
  if (mark === 'one') await page.getByRole('link', { name: 'Production' }).first().click()
  if (mark === 'open') await page.locator('[data-row]').first().click()
  if (mark !== undefined) await page.waitForLoadState('networkidle')
  await page.waitForTimeout(400)
}

/** Does what an operator does in a day: money for an account, codes, and rules for who is told what. */
async function operate(page: Page, accountId: string): Promise<void> {
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`/api/operator/${path}`, { data, headers: { origin: `http://localhost:${PORT}` } })
    expect(answer.ok(), await answer.text()).toBe(true)
  }
  const paid = { amountNano: '25000000000', reason: 'For the slow week in October' }
  await post(`accounts/${accountId}/grant`, { ...paid, token: randomUUID() })
  await post('codes', { token: randomUUID(), amountNano: '5000000000', count: 3, note: 'Meetup in the harbour' })
  const told = { emails: ['ops@example.com'], webhooks: false, quietMinutes: 15, enabled: true }
  await post('alerts', { kind: 'breaker', modelId: null, ...told })
  await post('alerts', { kind: 'errors', scope: 'all', scopeId: null, percent: 5, minutes: 5, leastRequests: 20, ...told })
  await post('alert-webhooks', { url: 'https://hooks.example.com/tollgate', description: 'On-call channel' })
}

test('pictures', async ({ page, request, browser, baseURL }) => {
  await signUp(page, 'Ada')
  const secret = await createKey(page, 'Production')
  await useIt(request, secret)
  const shoot = async (on: Page, name: string, path: string, colorScheme: 'light' | 'dark', width: number) => {
    await on.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await on.setViewportSize({ width, height: width < 500 ? 780 : 860 })
    await open(on, path)
    await on.screenshot({ path: join(FOLDER, name), ...(name.endsWith('.jpg') ? { quality: 80 } : { fullPage: true }) })
  }
  const shootAll = async (on: Page, pages: Record<string, string>) => {
    for (const [name, path] of Object.entries(pages))
      for (const scheme of ['light', 'dark'] as const)
        for (const width of [1320, 360]) await shoot(on, `${name}-${scheme}-${width}.png`, path, scheme, width)
  }
  mkdirSync(FOLDER, { recursive: true })
  if (process.env.SCREENS === undefined) {
    for (const [name, path, scheme] of README) await shoot(page, `${name}-${scheme}.jpg`, path, scheme, 1320)
    return
  }
  const { accountId } = (await (await page.request.get('/api/me')).json()) as { accountId: string }
  const newPage = async () => (await browser.newContext(baseURL ? { baseURL } : {})).newPage()
  const owner = await newPage()
  await signInAsOwner(owner)
  await operate(owner, accountId)
  const ofAda = Object.entries(OPERATOR_PAGES).map(([name, path]) => [name, path.replace('{account}', accountId)])
  await shootAll(owner, Object.fromEntries(ofAda))
  await shootAll(page, PAGES)
  await shootAll(await newPage(), GUEST_PAGES)
  const octo = await newPage()
  await octo.goto('/sign-in?next=%2Fsettings%2Fdata')
  await octo.getByRole('button', { name: 'Continue with GitHub' }).click()
  await octo.waitForURL('**/settings/data')
  await shootAll(octo, { 'data-github': '/settings/data' })
})
