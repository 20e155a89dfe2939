import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

export interface Measures {
  /** Bytes of script as they came over the wire. */
  scriptBytes: number
  /** Milliseconds until the largest thing was painted. */
  largestPaintMs: number
  /** What that was: its tag and the beginning of its text. */
  largest: string
  /** Milliseconds until the first byte of the page came, and until the first text or picture was painted. */
  firstByteMs: number
  firstPaintMs: number
  layoutShift: number
}

/** Opens a page with nothing remembered, and measures what it cost to show it. */
export async function measure(page: Page, path: string): Promise<Measures> {
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

/** What of the page, as it stands, violates WCAG 2.2 AA. */
export const findViolations = async (page: Page): Promise<string[]> => violationsOf(new AxeBuilder({ page }).withTags(WCAG))

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']
const CONTRAST = 'color-contrast'

async function violationsOf(builder: AxeBuilder): Promise<string[]> {
  const { violations } = await builder.analyze()
  return violations.map((item) => `${item.id} ${item.nodes[0]?.html}`)
}

/**
 * What is looked at, at a width. Contrast takes most of the time, and what stands in the middle stands at one of the ends too.
 * In the dark only colours are others.
 */
async function violationsAt(page: Page, width: number, dark: boolean): Promise<string[]> {
  const ends = width !== 768
  if (dark) return ends ? await violationsOf(new AxeBuilder({ page }).withRules([CONTRAST])) : []
  const builder = new AxeBuilder({ page }).withTags(WCAG)
  return await violationsOf(ends ? builder : builder.disableRules([CONTRAST]))
}

/** Checks a page against WCAG 2.2 AA, and that nothing of it is wider than the window, at three widths. */
export async function expectAccessible(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 1320, height: 860 })
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  for (const width of [1320, 768, 360]) {
    await page.setViewportSize({ width, height: 860 })
    // What is drawn for a width is drawn in the frame after it is known.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    expect(await violationsAt(page, width, dark), `${path} at ${width}: WCAG 2.2 AA`).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${path} at ${width}`).toBeLessThanOrEqual(width)
  }
}
