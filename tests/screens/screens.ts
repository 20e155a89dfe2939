// Pictures of every page of the site and the console, light and dark, wide and narrow, of an account that is in use.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type APIRequestContext, type Page, test } from '@playwright/test'
import { createKey, signUp } from '../e2e/people.ts'

const FOLDER = process.env.SCREENS ?? 'public/screens'
/** Without SCREENS: what the README shows. */
const README = [
  ['overview', '/overview', 'light'],
  ['history', '/history?open', 'dark'],
  ['usage', '/usage', 'light'],
  ['playground', '/playground', 'dark'],
  ['models', '/models', 'light'],
  ['docs', '/docs/quickstart', 'dark'],
] as const

const PAGES = {
  landing: '/',
  models: '/models',
  model: '/models/sandbox/chat',
  docs: '/docs/quickstart',
  reference: '/docs/api/chat_completions',
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  forgot: '/forgot',
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

const PROMPTS = [
  'What is a prepaid gateway?',
  'Write a haiku about toll roads.',
  'Give me a table of three rivers and their lengths, and a line of Python that prints one.',
  'Translate "the gate is open" into Chinese.',
]

/** Calls of many models, good and bad. */
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

/** Where a name leads: some pages need something to be open. */
async function open(page: Page, path: string): Promise<void> {
  const [at = path, mark] = path.split(/\?(open|one)$/)
  await page.goto(at)
  await page.waitForLoadState('networkidle')
  if (mark === 'one') await page.getByRole('link', { name: 'Production' }).first().click()
  if (mark === 'open') await page.locator('[data-row]').first().click()
  if (mark !== undefined) await page.waitForLoadState('networkidle')
  await page.waitForTimeout(400)
}

test('pictures', async ({ page, request }) => {
  await signUp(page, 'Ada')
  const secret = await createKey(page, 'Production')
  await useIt(request, secret)
  const shoot = async (name: string, path: string, colorScheme: 'light' | 'dark', width: number) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: width < 500 ? 780 : 860 })
    await open(page, path)
    await page.screenshot({ path: join(FOLDER, name), ...(name.endsWith('.jpg') ? { quality: 80 } : {}) })
  }
  mkdirSync(FOLDER, { recursive: true })
  if (process.env.SCREENS === undefined)
    for (const [name, path, scheme] of README) await shoot(`${name}-${scheme}.jpg`, path, scheme, 1320)
  else
    for (const [name, path] of Object.entries(PAGES))
      for (const scheme of ['light', 'dark'] as const)
        for (const width of [1320, 360]) await shoot(`${name}-${scheme}-${width}.png`, path, scheme, width)
})
