import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { encodeWav } from '../../lib/vendors/sandbox/encode-speech.ts'
import { synthesizeSpeech } from '../../lib/vendors/sandbox/synthesize-speech.ts'
import { expectAccessible } from './measure.ts'
import { signUp } from './user-actions.ts'

/** What the sandbox draws, edits and sees: one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const cost = (page: Page) => page.getByTestId('cost')
const prompt = (page: Page) => page.getByRole('textbox', { name: 'Prompt', exact: true })

/** Expects the figures of a finished call: its cost, and the link to its record. */
async function expectFigures(page: Page, places = 1): Promise<void> {
  await expect(cost(page)).toHaveCount(places, { timeout: 20_000 })
  for (const text of await cost(page).allTextContents()) expect(text).toMatch(/^\$\d+\.\d{2,9}$/)
  await expect(page.getByRole('link', { name: 'Record' })).toHaveCount(places)
}

// One account for all tests, because sign-ups from one address are limited.
let cookies: Awaited<ReturnType<BrowserContext['cookies']>> = []
test.beforeAll(async ({ browser }) => {
  const page = await browser.newPage({ viewport: { width: 1320, height: 860 } })
  await signUp(page, 'Player')
  cookies = await page.context().cookies()
  await page.close()
})
test.beforeEach(async ({ page, context }) => {
  await context.addCookies(cookies)
  await page.setViewportSize({ width: 1320, height: 860 })
})

test('a chat streams, is charged like any call, and is edited, asked again and shown as code', async ({ page }) => {
  await page.goto('/overview')
  await page.getByRole('link', { name: 'Playground' }).click()
  await page.getByRole('button', { name: /three sentences/ }).click()
  await expect(prompt(page)).toHaveValue(/three sentences/)
  await prompt(page).fill('Where is the **toll gate**?')
  await page.keyboard.press('Control+Enter')
  const answer = page.getByTestId('answer')
  await expect(answer).toContainText('simulated model')
  await expectFigures(page)
  await expect(page.getByText('First token')).toBeVisible()

  // The cost is that of the history, to the last nano, under a key that is not listed with the user's own keys.
  const paid = (await cost(page).textContent()) ?? ''
  await page.getByRole('button', { name: 'View code' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('/v1/chat/completions')
  await dialog.getByRole('tab', { name: 'Python' }).click()
  await expect(dialog).toContainText('client.chat.completions.create(')
  await expect(dialog).toContainText('Where is the **toll gate**?')
  await expect(dialog).not.toContainText('sk-tg-')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Edit the prompt' }).click()
  await page.getByRole('textbox', { name: 'Edit the prompt' }).fill('And the **bridge**?')
  await page.getByRole('button', { name: 'Save and ask again' }).click()
  await expect(answer).toContainText('And the')
  await expectFigures(page)

  // A prompt that was typed but not sent survives a reload, as the conversation does.
  await prompt(page).fill('Not sent yet')
  await page.reload()
  await expect(prompt(page)).toHaveValue('Not sent yet')
  await expect(answer).toContainText('simulated model')

  await page.getByRole('link', { name: 'Record' }).click()
  await expect(page.getByText('Playground').nth(1)).toBeVisible()
  const list = await page.request.get('/api/requests?limit=10')
  const { rows } = await list.json()
  expect(rows).toHaveLength(2)
  expect(rows.every(({ keyName }: { keyName: string }) => keyName === 'Playground')).toBe(true)
  const nano = BigInt(rows[1].chargedNano)
  expect(paid).toBe(
    `$${nano / 1_000_000_000n}.${String(nano % 1_000_000_000n)
      .padStart(9, '0')
      .replace(/0{1,7}$/, '')}`,
  )
  expect((await (await page.request.get('/api/keys')).json()).rows).toEqual([])

  await page.goto(`/playground?from=${rows[1].id}`)
  await expect(page.getByText('Where is the **toll gate**?')).toBeVisible()
  await expect(page).toHaveURL(/model=sandbox/)
})

test('two models answer side by side, one of them with an error that says what to do', async ({ page }) => {
  await page.goto('/playground?model=sandbox/chat&compare=sandbox/error-503')
  await prompt(page).fill('Hello')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('article', { name: 'Answer of sandbox/chat' }).getByTestId('answer')).toContainText('simulated')
  const failed = page.getByRole('article', { name: 'Answer of sandbox/error-503' })
  await expect(failed.getByRole('alert')).toContainText('503 service_unavailable')
  await expect(failed.getByRole('button', { name: 'Try again' })).toBeVisible()
  await expectFigures(page, 2)
})

test('a stream is stopped with Escape, and what it cost stands there all the same', async ({ page }) => {
  await page.goto('/playground?model=sandbox/error-slow')
  await prompt(page).fill('Hello')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('stopped', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible()
})

test('who clicks twice starts a chat and does not stop it, and who stops it by key stays where they are', async ({ page }) => {
  await page.goto('/playground?model=sandbox/error-slow')
  await prompt(page).fill('Hello')
  await page.getByRole('button', { name: 'Send' }).dblclick()
  const stop = page.getByRole('button', { name: 'Stop' })
  await expect(stop).toBeVisible()
  await expect(page.getByText('stopped', { exact: true })).toHaveCount(0)
  await stop.press('Enter')
  await expect(page.getByText('stopped', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send' })).toBeFocused()
})

test('a picture goes with a prompt, and a tool is called, played and answered', async ({ page }) => {
  await page.goto('/playground?model=sandbox/chat')
  await page.getByTestId('pictures').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PIXEL })
  await expect(page.getByRole('img', { name: 'dot.png' })).toBeVisible()
  await prompt(page).fill('What do you see?')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByTestId('answer')).toContainText('1 image')
  await expectFigures(page)

  await page.getByRole('button', { name: 'New chat' }).click()
  const tools = page.getByRole('textbox', { name: 'Tools' })
  await tools.fill('[{"name": "get_weather"')
  await expect(page.getByText('Invalid JSON')).toBeVisible()
  await tools.fill('')
  await page.getByRole('button', { name: /Insert an example.*Tools/ }).click()
  await prompt(page).fill('Use get_weather for Oslo')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('The model calls')).toBeVisible()
  await page.getByRole('textbox', { name: 'Result', exact: true }).fill('{"temperature": 3}')
  await page.getByRole('button', { name: 'Send the results' }).click()
  await expect(page.getByTestId('answer')).toContainText('get_weather')
  await expect(page.getByTestId('answer')).toContainText('"temperature": 3')
  await expectFigures(page, 2)
})

test('what is typed while a picture is read stays, and what was sent meanwhile does not come back', async ({ page }) => {
  await page.addInitScript(() => {
    const read = FileReader.prototype.readAsDataURL
    FileReader.prototype.readAsDataURL = function (blob) {
      setTimeout(() => read.call(this, blob), 1500)
    }
  })
  await page.goto('/playground?model=sandbox/chat')
  await page.getByTestId('pictures').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PIXEL })
  await prompt(page).fill('Typed meanwhile')
  await expect(page.getByRole('img', { name: 'dot.png' })).toBeVisible()
  await expect(prompt(page)).toHaveValue('Typed meanwhile')
  await page.getByTestId('pictures').setInputFiles({ name: 'next.png', mimeType: 'image/png', buffer: PIXEL })
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('button', { name: 'Remove next.png' })).toBeVisible()
  await expect(prompt(page)).toHaveValue('')
  await expect(page.getByRole('button', { name: 'Remove dot.png' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Remove next.png' }).click()
})

test('images are drawn while one looks on, and changed', async ({ page }) => {
  await page.goto('/playground?mode=images&model=sandbox/image')
  await page.getByRole('textbox', { name: 'What to draw' }).fill('A lighthouse')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByTestId('image')).toHaveCount(1, { timeout: 20_000 })
  await expectFigures(page)
  await expect(page.getByTestId('cost')).toHaveText('$0.01')
  const width = await page.getByTestId('image').evaluate((image: HTMLImageElement) => image.naturalWidth)
  expect(width).toBe(1024)

  await page.getByLabel('Images to edit').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PIXEL })
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await expect(page.getByTestId('image')).toHaveCount(1, { timeout: 20_000 })
  await expectFigures(page)
  await page.getByRole('button', { name: 'View code' }).click()
  await expect(page.getByRole('dialog')).toContainText('/v1/images/edits')
})

test('a text is spoken, and its sound is written down with its times', async ({ page }) => {
  await page.goto('/playground?mode=speech')
  await page.getByRole('textbox', { name: 'What to say' }).fill('The gate is open.')
  await page.getByRole('button', { name: 'Speak' }).click()
  await expect(page.getByTestId('sound')).toBeVisible({ timeout: 20_000 })
  await expectFigures(page)
  await expect.poll(() => page.getByTestId('sound').evaluate((sound: HTMLAudioElement) => sound.duration)).toBeGreaterThan(0.3)

  await page.getByRole('link', { name: 'Transcription' }).click()
  const wav = Buffer.from(
    encodeWav(await synthesizeSpeech({ text: 'A sentence that lasts for some seconds, or so.', voice: 'alloy' })),
  )
  await page.getByLabel('Audio', { exact: true }).setInputFiles({ name: 'talk.wav', mimeType: 'audio/wav', buffer: wav })
  // Dropped text is not a file, and does not remove the chosen one.
  const words = await page.evaluateHandle(() => {
    const transfer = new DataTransfer()
    transfer.setData('text/plain', 'a word')
    return transfer
  })
  await page.getByLabel('Audio', { exact: true }).locator('..').dispatchEvent('drop', { dataTransfer: words })
  await page.getByRole('button', { name: 'Transcribe' }).click()
  await expect(page.getByTestId('transcript')).not.toBeEmpty({ timeout: 20_000 })
  await expectFigures(page)
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'vtt' }).click()
  expect((await download).suggestedFilename()).toBe('transcript.vtt')
})

test('a microphone that is refused says what to do', async ({ page }) => {
  await page.goto('/playground?mode=transcribe')
  await page.getByRole('button', { name: 'Record' }).click()
  await expect(page.getByRole('alert').filter({ hasText: /microphone/i })).toBeVisible()
})

test('a video is made, survives a reload, and plays; another is cancelled', async ({ page }) => {
  test.setTimeout(120_000)
  await page.goto('/playground?mode=video&model=sandbox/video')
  await page.getByRole('radio', { name: 'Landscape' }).click()
  await expect(page).toHaveURL(/sandbox%2Fvideo-landscape/)
  await page.getByRole('textbox', { name: 'What to show' }).fill('Waves')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page).toHaveURL(/task=task_/)
  await expect(page.getByTestId('status')).toHaveText(/waiting|processing/)
  await page.reload()
  await expect(page.getByTestId('video')).toBeVisible({ timeout: 60_000 })
  await expectFigures(page)
  await expect(page.getByTestId('cost')).toHaveText('$0.05')
  await expect
    .poll(() => page.getByTestId('video').evaluate((video: HTMLVideoElement) => video.duration), { timeout: 15_000 })
    .toBe(5)

  await page.goto('/playground?mode=video&model=sandbox/error-video-stuck')
  await page.getByRole('textbox', { name: 'What to show' }).fill('Never')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByTestId('status')).toHaveText('failed')
  await expect(page.getByText('Nothing was charged')).toBeVisible()
})

test('the playground passes axe and fits, wide, middle and phone, light and dark', async ({ page }) => {
  test.setTimeout(300_000)
  for (const mode of ['chat', 'images', 'speech', 'transcribe', 'video']) await expectAccessible(page, `/playground?mode=${mode}`)
  await page.goto('/playground?model=sandbox/chat&compare=sandbox/error-500')
  await prompt(page).fill('Hello')
  await page.keyboard.press('Control+Enter')
  await expectFigures(page, 2)
  // The conversation is kept, so each width shows it.
  await expectAccessible(page, '/playground?model=sandbox/chat&compare=sandbox/error-500')
})
