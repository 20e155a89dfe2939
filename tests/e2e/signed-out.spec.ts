import { expect, test } from '@playwright/test'
import { createKey, PASSWORD, signUp } from './user-actions.ts'

test('whose session has ended under a form signs in beside it, and sends what was typed', async ({ page, context }) => {
  await signUp(page, 'Otto')
  const email = (await (await page.request.get('/api/me')).json()).email
  await page.goto('/keys?new=key')
  const dialog = page.getByRole('dialog')
  const name = dialog.getByLabel('Name')
  await name.fill('Typed before')
  await context.clearCookies()
  // The page loads its keys again meanwhile, and stays: leaving would lose what was typed into the form.
  await page.waitForResponse((answer) => answer.url().includes('/api/keys?') && answer.status() === 401)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByRole('alert')).toContainText('You are signed out.')
  await expect(name).toHaveValue('Typed before')

  const opened = context.waitForEvent('page')
  await dialog.getByRole('link', { name: 'Sign in in another tab' }).click()
  const signInTab = await opened
  await signInTab.getByLabel('Email').fill(email)
  await signInTab.getByLabel('Password').fill(PASSWORD)
  await signInTab.getByRole('button', { name: 'Sign in' }).click()
  await signInTab.waitForURL('**/keys?new=key')
  await signInTab.close()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByTestId('secret')).toBeVisible()
})

test('whose session has ended, and who has typed nothing, is led to the sign-in and back', async ({ page, context }) => {
  await signUp(page, 'Olga')
  const email = (await (await page.request.get('/api/me')).json()).email
  await createKey(page, 'Mine')
  await page.goto('/keys?q=mine')
  await expect(page.getByRole('link', { name: 'Mine' })).toBeVisible()
  await context.clearCookies()
  await page.waitForURL('**/sign-in?next=%2Fkeys%3Fq%3Dmine')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/keys?q=mine')
})

test('what was begun as one person is not done as another who has signed in beside it', async ({ page, context, browser }) => {
  const otherContext = await browser.newContext()
  await signUp(await otherContext.newPage(), 'Oda')
  await signUp(page, 'Otis')
  await page.goto('/keys?new=key')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('For Otis')
  await context.clearCookies()
  await context.addCookies(await otherContext.cookies())
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Somebody signed in to another account')
  expect((await (await page.request.get('/api/keys')).json()).rows).toEqual([])
  await otherContext.close()
})

test('a page becomes the account’s that has signed in beside it, where nothing is typed', async ({ page, context, browser }) => {
  const otherContext = await browser.newContext()
  const oda = await otherContext.newPage()
  await signUp(oda, 'Odile')
  await createKey(oda, 'Of Odile')
  await signUp(page, 'Oskar')
  await page.goto('/keys')
  await expect(page.getByRole('heading', { name: 'Keys', exact: true })).toBeVisible()
  await context.clearCookies()
  await context.addCookies(await otherContext.cookies())
  await expect(page.getByRole('link', { name: 'Of Odile' })).toBeVisible({ timeout: 30_000 })
  await otherContext.close()
})
