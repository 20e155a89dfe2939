import { expect, type Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'

export interface PageMetrics {
  /** Bytes of script as transferred. */
  scriptBytes: number
  /** Milliseconds until the largest element was painted. */
  largestPaintMs: number
  /** That element: its tag and the beginning of its text. */
  largest: string
  /** Milliseconds until the first byte of the page arrived, and until the first text or image was painted. */
  firstByteMs: number
  firstPaintMs: number
  layoutShift: number
}

/** Opens a page and measures what it takes to show it. In a new browser context nothing is cached. */
export async function measure(page: Page, path: string): Promise<PageMetrics> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const scripts = new Set<string>()
  let scriptBytes = 0
  session.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.add(requestId))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) scriptBytes += encodedDataLength
  })
  await page.addInitScript(() => {
    const seen = { paint: 0, shift: 0, largest: '' }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { element?: Element | null })[])
        Object.assign(seen, {
          paint: entry.startTime,
          largest: `${entry.element?.tagName.toLowerCase() ?? ''} ${entry.element?.textContent?.slice(0, 40) ?? ''}`,
        })
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) seen.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  const seen = await page.evaluate(() => ({
    ...(window as unknown as { seen: { paint: number; shift: number; largest: string } }).seen,
    firstByteMs: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.responseStart ?? 0,
    firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  }))
  const { paint, shift, ...rest } = seen
  return { scriptBytes, largestPaintMs: paint, layoutShift: shift, ...rest }
}

/** Runs axe in the page itself, because nothing here has frames, and collects only what it finds. */
async function findViolations(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return await page.evaluate(
    async (run) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(run)
      return violations.map((item) => `${item.id} ${item.nodes[0]?.html}`)
    },
    { ...options, resultTypes: ['violations'] } satisfies RunOptions,
  )
}

/** Waits for the frame after a change of the width or the color scheme, in which the page is drawn again. */
async function waitForRepaint(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']
const CONTRAST = 'color-contrast'

/** Contrast violations of WCAG in dark mode, where only the colors differ. The page is light again afterwards. */
async function findDarkContrastViolations(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await waitForRepaint(page)
  const found = await findViolations(page, { runOnly: [CONTRAST] })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  return found
}

/** Checks a page as it is against WCAG 2.2 AA, light and dark. Contrast takes most of the time, and can be left out. */
export async function expectNoViolations(page: Page, where = page.url(), { contrast = true } = {}): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await waitForRepaint(page)
  const light = await findViolations(page, { runOnly: WCAG, rules: { [CONTRAST]: { enabled: contrast } } })
  expect(light, `${where}, light: WCAG 2.2 AA`).toEqual([])
  if (contrast) expect(await findDarkContrastViolations(page), `${where}, dark: contrast`).toEqual([])
}

const WIDE = { width: 1320, height: 860 }

/** Opens a page and checks it against WCAG 2.2 AA, light and dark, and that nothing is wider than the window, at three widths. */
export async function expectAccessible(page: Page, path: string): Promise<void> {
  await page.setViewportSize(WIDE)
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  for (const width of [WIDE.width, 768, 360]) {
    await page.setViewportSize({ ...WIDE, width })
    // A layout that exists only at the middle width has colors that also appear at one of the others.
    await expectNoViolations(page, `${path} at ${width}`, { contrast: width !== 768 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${path} at ${width}`).toBeLessThanOrEqual(width)
  }
  await page.setViewportSize(WIDE)
}
