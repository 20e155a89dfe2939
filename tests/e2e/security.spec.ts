import { expect, type Page, test } from '@playwright/test'
import { signUp } from './user-actions.ts'

/** Collects everything that the content security policy blocks, on every page that is opened from now on. */
async function recordViolations(page: Page): Promise<string[]> {
  const violations: string[] = []
  await page.exposeFunction('hearViolation', (text: string) => violations.push(text))
  await page.addInitScript(() => {
    const { hearViolation } = window as unknown as { hearViolation(text: string): void }
    document.addEventListener('securitypolicyviolation', (event) =>
      hearViolation(
        `${event.documentURI}: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
      ),
    )
  })
  return violations
}

const settings = ['/settings/notifications', '/settings/webhooks', '/settings/data']
const consolePages = ['/overview', '/keys', '/history', '/billing', ...settings]

async function listSitePaths(page: Page): Promise<string[]> {
  const sitemap = await (await page.request.get('/sitemap.xml')).text()
  return [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, place = '']) => new URL(place).pathname)
}

test('every page says how it may be used, with a nonce of its own', async ({ page }) => {
  await signUp(page, 'Header')
  const paths = [...(await listSitePaths(page)), ...consolePages, '/sign-in', '/sign-up', '/no-such-page', '/models/no/such']
  const nonces = new Set<string>()
  for (const path of paths) {
    const response = await page.request.get(path)
    const headers = response.headers()
    const policy = headers['content-security-policy'] ?? ''
    expect(policy, path).toContain("frame-ancestors 'none'")
    const script = policy.split('; ').find((part) => part.startsWith('script-src ')) ?? ''
    expect(script, path).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/)
    const nonce = /'nonce-([^']+)'/.exec(script)?.[1] ?? ''
    expect(nonce.length, path).toBeGreaterThan(20)
    nonces.add(nonce)
    expect(headers, path).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
    })
    expect(headers['permissions-policy'], path).toContain('camera=()')
    // This gateway is reached without encryption: a browser that was told to require it could not come back.
    expect(headers['strict-transport-security'], path).toBeUndefined()
    const html = await response.text()
    const scripts = html.match(/<script\b[^>]*>/g) ?? []
    expect(scripts.length, path).toBeGreaterThan(0)
    for (const tag of scripts) expect(tag, path).toContain(`nonce="${nonce}"`)
    expect(html, path).not.toMatch(/<[^>]+\son(?:click|load|error)=/)
  }
  expect(nonces.size).toBe(paths.length)
})

test('no page does what its policy forbids', async ({ page }) => {
  test.setTimeout(180_000)
  const violations = await recordViolations(page)
  await signUp(page, 'Policy')
  const site = (await listSitePaths(page)).filter((path) => !path.startsWith('/models/') || path === '/models/sandbox/chat')
  for (const path of [...consolePages, ...site, '/no-such-page']) {
    await page.goto(path)
    await page.waitForLoadState('networkidle')
  }
  // Code that is loaded when it is first needed, and elements that float over a page.
  await page.goto('/keys')
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('Policy')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await expect(page.getByTestId('secret')).toBeVisible()
  await page.goto('/overview')
  await page.getByRole('link', { name: 'Billing' }).click()
  await page.waitForURL('**/billing')
  await page.getByRole('button', { name: 'Account' }).first().click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(violations).toEqual([])
})

test('what the policy forbids does not run, and is heard of', async ({ page }) => {
  const violations = await recordViolations(page)
  await page.goto('/')
  await page.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="document.title = \'ran\'">')
  })
  await expect.poll(() => violations.join()).toContain('script-src-attr inline')
  await page.evaluate(() => fetch('https://example.com/').catch(() => undefined))
  await expect.poll(() => violations.join()).toContain('connect-src https://example.com')
  expect(await page.title()).not.toBe('ran')
})
