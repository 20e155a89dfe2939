// Measures how long until the largest element of each page is painted:
// npm run paint -- [--loads 5] [--only /overview,...] [URL ...]
// Without URLs it starts its own gateway. With several, such as two builds, their pages are loaded in turn.
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { LAUNCH } from '../e2e/launch.ts'
import { measure, type PageMetrics } from '../e2e/measure.ts'
import { createKey, setOwnClientAddress, signUp } from '../e2e/user-actions.ts'
import { ensureConsoleBuilt } from '../support/ensure-console-built.ts'
import { startGateway } from '../support/gateway.ts'
import { startServer } from '../support/server.ts'
import { median } from './measure.ts'

const { values: options, positionals: given } = parseArgs({
  options: { loads: { type: 'string', default: '5' }, only: { type: 'string' } },
  allowPositionals: true,
})
const CALLS = 30

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Pages of the public site, for visitors who are not signed in. */
const SITE = ['/', '/models', '/models/sandbox/chat', '/docs/quickstart', '/docs/api/chat_completions']

/** The paths of the console's pages, from its folders, and of the site. */
function pagesOf(keyId: string): string[] {
  const files = readdirSync('app/(console)', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('page.tsx'))
  const paths = files.map((file) => `/${file.replace(/\/?page\.tsx$/, '')}`.replace('[id]', keyId))
  paths.push(...SITE)
  paths.sort()
  return options.only === undefined ? paths : paths.filter((path) => options.only?.split(',').includes(path))
}

type Browser = Awaited<ReturnType<typeof chromium.launch>>

/** Creates a person with a key and requests for the pages to show. */
async function prepareSite(browser: Browser, baseURL: string) {
  const context = await browser.newContext({ baseURL, locale: 'en-US' })
  const page = await context.newPage()
  await setOwnClientAddress(page)
  await signUp(page, 'Painter')
  const secret = await createKey(page, 'Production')
  for (let call = 0; call < CALLS; call++)
    await page.request.post('/v1/chat/completions', {
      headers: { authorization: `Bearer ${secret}` },
      data: { model: call % 9 === 8 ? 'sandbox/error-503' : 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] },
    })
  const { rows } = (await (await page.request.get('/api/keys')).json()) as { rows: { id: string }[] }
  const storageState = await context.storageState()
  await context.close()
  return { baseURL, storageState, paths: pagesOf(rows[0]?.id ?? '') }
}

async function measurePage(browser: Browser, { baseURL, storageState }: Awaited<ReturnType<typeof prepareSite>>, path: string) {
  const context = await browser.newContext({ baseURL, locale: 'en-US', ...(SITE.includes(path) ? {} : { storageState }) })
  try {
    return await measure(await context.newPage(), path)
  } finally {
    await context.close()
  }
}

const formatMedian = (of: PageMetrics[], what: (measures: PageMetrics) => number): string =>
  median(of.map(what)).toFixed(0).padStart(6)

async function run(urls: string[]): Promise<void> {
  const browser = await chromium.launch(LAUNCH)
  try {
    const sides = []
    for (const url of urls) sides.push({ ...(await prepareSite(browser, url)), found: new Map<string, PageMetrics[]>() })
    const count = sides[0]?.paths.length ?? 0
    for (let place = 0; place < count; place++)
      // On the first load, the server has not run the page's code yet.
      for (let load = -1; load < Number(options.loads); load++)
        for (const side of sides) {
          const path = side.paths[place] ?? ''
          const measures = await measurePage(browser, side, path)
          if (load >= 0) side.found.set(path, [...(side.found.get(path) ?? []), measures])
        }
    say('medians, in milliseconds: the first byte, the first paint, the largest paint; the layout shift; what was largest')
    for (let place = 0; place < count; place++)
      for (const { baseURL, paths, found } of sides) {
        const path = paths[place] ?? ''
        const of = found.get(path) ?? []
        const [byte, first, largest] = [
          formatMedian(of, (each) => each.firstByteMs),
          formatMedian(of, (each) => each.firstPaintMs),
          formatMedian(of, (each) => each.largestPaintMs),
        ]
        const shift = median(of.map((each) => each.layoutShift)).toFixed(4)
        say(
          `${path.slice(0, 26).padEnd(26)} ${byte} ${first} ${largest}  ${shift}  ${of.at(-1)?.largest ?? ''}  ${sides.length > 1 ? baseURL : ''}`,
        )
      }
  } finally {
    await browser.close()
  }
}

if (given.length > 0) await run(given)
else {
  await ensureConsoleBuilt()
  const server = await startServer()
  const env = { ROLE: 'all', SIGN_UP_CREDIT: '5', TRUSTED_PROXIES: '127.0.0.1' }
  const gateway = await startGateway({ databaseUrl: server.url, env })
  try {
    await run([gateway.url])
  } finally {
    await gateway.stop()
    await server.stop()
  }
}
