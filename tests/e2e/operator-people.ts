import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { comeFromElsewhere } from './people.ts'

/** Signs in as whom the first start made. */
export async function signInOwner(page: Page): Promise<void> {
  const dataDir = await readFile(join(tmpdir(), `tollgate-e2e-${process.env.E2E_PORT ?? 3977}`), 'utf8')
  const text = await readFile(join(dataDir, 'first-start.txt'), 'utf8')
  const [, email = '', password = ''] = /(\S+@\S+)\s+(\S+)/.exec(text) ?? []
  await comeFromElsewhere(page)
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/overview')
}
